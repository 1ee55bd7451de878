package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertWithMessage;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Workers;

/**
 * The context of a kernel that runs outside of a program. New buffers are filled with values that
 * no kernel should leave there; the buffers of operands to be overwritten are reused as they are.
 * The reference evaluator runs called computations.
 */
public final class StandaloneContext implements KernelContext {
  private final int threads;
  private final List<Literal> overwritten;
  private final List<Object> allocated = new CopyOnWriteArrayList<>();
  private final AtomicInteger checks = new AtomicInteger();
  private int maxChecks = Integer.MAX_VALUE;

  /**
   * Creates a context with a number of threads. Each result reuses the buffer of an overwritten
   * operand of its shape, if one is left.
   */
  public StandaloneContext(int threads, Literal... overwritten) {
    this.threads = threads;
    this.overwritten = new CopyOnWriteArrayList<>(overwritten);
  }

  /** Makes all checks of the limits fail after the first {@code checks} ones. */
  public StandaloneContext withMaxChecks(int checks) {
    maxChecks = checks;
    return this;
  }

  /** {@return how often limits were checked} */
  public int checks() {
    return checks.get();
  }

  /**
   * {@return the value of a kernel, of whose arrays each is forwarded, or is in the storage that
   * was allocated for it, once and in order: a program gives out the buffers of its plan in that
   * order}
   */
  public Literal run(Kernel kernel, Literal... operands) {
    Literal result = kernel.run(operands, this);
    List<Object> arrays = arrays(result).toList();
    List<Object> own =
        IntStream.range(0, arrays.size())
            .filter(i -> kernel.forwardedOperand(i) < 0)
            .mapToObj(arrays::get)
            .toList();
    assertWithMessage("arrays of the result of %s", kernel.describe())
        .that(own.stream().map(System::identityHashCode).toList())
        .isEqualTo(allocated.stream().map(System::identityHashCode).toList());
    return result;
  }

  private static Stream<Object> arrays(Literal literal) {
    return literal.shape() instanceof Shape.Tuple
        ? literal.elements().stream().flatMap(StandaloneContext::arrays)
        : Stream.of(literal.unsafeStorage());
  }

  @Override
  public Object allocate(Shape.Array shape) {
    Object storage = storage(shape);
    allocated.add(storage);
    return storage;
  }

  private Object storage(Shape.Array shape) {
    Optional<Literal> operand =
        overwritten.stream().filter(each -> each.shape().equals(shape)).findFirst();
    if (operand.isPresent()) {
      overwritten.remove(operand.get());
      return operand.get().unsafeStorage();
    }
    Object storage = LiteralBuilder.newStorage(shape);
    switch (storage) {
      case byte[] bytes -> Arrays.fill(bytes, (byte) 0x55);
      case short[] shorts -> Arrays.fill(shorts, (short) 0x7fff);
      case int[] ints -> Arrays.fill(ints, 0x55555555);
      case long[] longs -> Arrays.fill(longs, 0x5555555555555555L);
      case float[] floats -> Arrays.fill(floats, Float.NaN);
      case double[] doubles -> Arrays.fill(doubles, Double.NaN);
      default -> throw new AssertionError(storage.getClass());
    }
    return storage;
  }

  @Override
  public Literal call(HloComputation computation, Literal... arguments) {
    return Interpreter.reference().run(HloModule.create("called", computation), arguments);
  }

  @Override
  public Workers workers() {
    return Workers.of(threads);
  }

  @Override
  public void afterIterations(int iterations) {
    if (checks.incrementAndGet() > maxChecks) {
      throw new HloException("", "run: got beyond the deadline");
    }
  }
}
