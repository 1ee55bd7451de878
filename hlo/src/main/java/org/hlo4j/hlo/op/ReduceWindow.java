package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Shape;

/**
 * Reduces the elements under a window, at each position of the window, for N arrays of the same
 * shape together.
 *
 * <p>Operands: N inputs, then N initial values, scalars. The computation takes N accumulators and N
 * elements, scalars, and gives N accumulators: a tuple if N is above 1. One accumulator may be
 * given as a tuple too; the result then is a tuple of one array. At each position the reduction
 * begins with the initial values and takes the elements in row-major order. Padding and the holes
 * of a dilated base are skipped, as in XLA; this equals a reduction that takes the initial value
 * for them, if the initial value is the identity of the reducer, as it should be. A reversed window
 * has no effect.
 *
 * <pre>
 *   sums under window={size=2 stride=2 pad=0_1}
 *     1 2 3 4 5   -&gt;   0+1+2   0+3+4   0+5
 * </pre>
 *
 * @param window the window, of the rank of the inputs
 */
public record ReduceWindow(Window window) implements HigherOrder {
  private static final ReductionRules REDUCTION =
      new ReductionRules(
          "reduce_window C1", "reduce_window C2", "reduce_window C3", "reduce_window C13");
  private static final Window.Rules RULES =
      new Window.Rules(
          "reduce_window C4",
          "reduce_window C5",
          "reduce_window C7",
          "reduce_window C9",
          "reduce_window C11");

  @Override
  public String opcode() {
    return "reduce-window";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(2);
  }

  @Override
  public ImmutableList<String> callees() {
    return ImmutableList.of("to_apply");
  }

  @Override
  public Shape resultShape(Operands in) {
    ImmutableList<Shape.Array> inputs = REDUCTION.inputs(in);
    ImmutableList<Shape.Array> results =
        inputs.stream()
            .map(input -> window.slide(input.withLayout(null), RULES))
            .collect(ImmutableList.toImmutableList());
    REDUCTION.checkBody(in, inputs);
    return ReductionRules.together(results, in.called().get(0));
  }
}
