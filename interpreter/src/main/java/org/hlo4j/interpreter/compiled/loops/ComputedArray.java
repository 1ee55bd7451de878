package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ObjectArrays;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * An array that is never stored as a whole: generated loops compute the elements of any range of
 * row-major positions when a kernel needs them.
 */
public final class ComputedArray {
  /** Each part costs some time for each range that is read. */
  private static final int MAX_PARTS = 16;

  private final Inputs inputs;
  private final Shape.Array shape;
  private final ImmutableList<CompiledLoopNest> nests;

  private ComputedArray(Inputs inputs, Shape.Array shape, ImmutableList<CompiledLoopNest> nests) {
    this.inputs = inputs;
    this.shape = shape;
    this.nests = nests;
  }

  /**
   * Returns the value of an instruction, to be computed when it is read.
   *
   * @param computation the computation of a fusion
   * @param value an instruction of it, an array of real numbers
   * @return the array; empty if loops cannot compute it, or only in very many parts
   */
  public static Optional<ComputedArray> of(HloComputation computation, HloInstruction value) {
    Inputs inputs = Inputs.of(computation);
    try {
      return OutputRegion.of(inputs, ImmutableList.of(value), false)
          .filter(parts -> parts.size() <= MAX_PARTS)
          .map(parts ->
              new ComputedArray(
                  inputs,
                  (Shape.Array) value.shape(),
                  parts.stream()
                      .map(part -> new CompiledLoopNest(part.shifted(), inputs.count()))
                      .collect(ImmutableList.toImmutableList())));
    } catch (NoCodeException none) {
      return Optional.empty();
    }
  }

  /** {@return the type of the elements} */
  public ElementType type() {
    return shape.elementType();
  }

  /** {@return whether the elements depend on a parameter of the computation} */
  public boolean reads(int parameter) {
    return nests.stream().anyMatch(nest -> nest.reads(parameter));
  }

  /** Installs the vector forms now, even if C2 has not compiled them yet; for tests. */
  public void prepare() {
    nests.stream()
        .flatMap(nest -> nest.stages().stream())
        .map(StageLoop::body)
        .forEach(Tiered::prepare);
  }

  /**
   * Returns a reader of the elements for some operands.
   *
   * @param operands the storage of the operands, and perhaps other arrays behind it
   * @param context the context of the run
   * @return the reader
   */
  public Reader reader(Object[] operands, KernelContext context) {
    Object[] given =
        ObjectArrays.concat(
            Arrays.copyOf(operands, inputs.operands()), inputs.storages(), Object.class);
    List<long[]> counters = nests.stream().map(nest -> nest.startCounters(given, context)).toList();
    return (first, count, to, at) -> {
      Object[] arrays = ObjectArrays.concat(given, to);
      for (int i = 0; i < counters.size(); i++) {
        nests.get(i).runRange(arrays, counters.get(i), first, first + count, at - first);
      }
    };
  }

  /** Computes elements of the array. Several threads may use it at once. */
  public interface Reader {
    /**
     * Stores a range of elements.
     *
     * @param first the position of the first of them
     * @param count how many there are
     * @param to where to store them
     * @param at the index at which the first is stored
     */
    void read(int first, int count, Object to, int at);
  }

  /** {@return what a kernel says about the arrays that are computed while it runs} */
  public static String describe(List<ComputedArray> arrays) {
    return arrays.stream()
        .map(array ->
            ", computing " + array.shape.withoutLayout() + " in " + array.nests.size() + " parts")
        .collect(Collectors.joining());
  }
}
