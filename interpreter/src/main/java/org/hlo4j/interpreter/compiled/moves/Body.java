package org.hlo4j.interpreter.compiled.moves;

import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * A computation of scalars, applied to elements of arrays: by a {@link ScalarProgram} if it has
 * one, or by calls.
 */
final class Body {
  private final HloComputation computation;
  private final ElementType[] types;
  private final Optional<ScalarProgram> program;

  Body(HloComputation computation) {
    this.computation = computation;
    this.types =
        computation.parameters().stream()
            .map(parameter -> ((Shape.Array) parameter.shape()).elementType())
            .toArray(ElementType[]::new);
    this.program = ScalarProgram.of(computation);
  }

  /** What applies it within one run of a kernel, on one thread. */
  Applied in(KernelContext context) {
    return program.<Applied>map(steps -> new ByProgram(steps)).orElseGet(() -> new ByCall(context));
  }

  /** The body at work. */
  interface Applied {
    /**
     * {@code to[..][t] = body(to[..][t], from[..][f])}, of as many arrays each as it has results
     */
    void combine(List<Object> to, int t, List<Object> from, int f);

    /** {@code body(arrays[0][left], arrays[0][right], arrays[1][left], ...)}, which is pred */
    boolean compares(List<Object> arrays, int left, int right);
  }

  private final class ByProgram implements Applied {
    private final ScalarProgram steps;
    private final long[] slots;

    ByProgram(ScalarProgram steps) {
      this.steps = steps;
      this.slots = steps.newSlots();
    }

    @Override
    public void combine(List<Object> to, int t, List<Object> from, int f) {
      int count = types.length / 2;
      for (int i = 0; i < count; i++) {
        slots[i] = Carrier.read(types[i], to.get(i), t);
        slots[count + i] = Carrier.read(types[i], from.get(i), f);
      }
      steps.run(slots);
      for (int i = 0; i < count; i++) {
        Carrier.write(types[i], to.get(i), t, slots[steps.result(i)]);
      }
    }

    @Override
    public boolean compares(List<Object> arrays, int left, int right) {
      for (int i = 0; i < types.length; i += 2) {
        slots[i] = Carrier.read(types[i], arrays.get(i / 2), left);
        slots[i + 1] = Carrier.read(types[i], arrays.get(i / 2), right);
      }
      steps.run(slots);
      return slots[steps.result(0)] != 0;
    }
  }

  private final class ByCall implements Applied {
    private final KernelContext context;

    ByCall(KernelContext context) {
      this.context = context;
    }

    @Override
    public void combine(List<Object> to, int t, List<Object> from, int f) {
      int count = types.length / 2;
      Literal[] arguments = new Literal[2 * count];
      for (int i = 0; i < count; i++) {
        arguments[i] = scalar(types[i], to.get(i), t);
        arguments[count + i] = scalar(types[i], from.get(i), f);
      }
      Literal result = context.call(computation, arguments);
      for (int i = 0; i < count; i++) {
        Literal part = result.shape() instanceof Shape.Tuple ? result.element(i) : result;
        int cells = Cells.perElement(types[i]);
        System.arraycopy(part.unsafeStorage(), 0, to.get(i), t * cells, cells);
      }
    }

    @Override
    public boolean compares(List<Object> arrays, int left, int right) {
      Literal[] arguments = new Literal[types.length];
      for (int i = 0; i < types.length; i++) {
        arguments[i] = scalar(types[i], arrays.get(i / 2), i % 2 == 0 ? left : right);
      }
      return context.call(computation, arguments).booleanAt(0);
    }
  }

  private static Literal scalar(ElementType type, Object storage, int at) {
    Shape.Array shape = Shape.of(type);
    Object copy = new LiteralBuilder(shape).build().unsafeStorage();
    int cells = Cells.perElement(type);
    System.arraycopy(storage, at * cells, copy, 0, cells);
    return Literal.unsafeOf(shape, copy);
  }
}
