package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireDimension;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Reduces N arrays of the same sizes together along some dimensions, beginning with N initial
 * values. Sizes of all results are bounds where those of the first input are; an input with a bound
 * beside static ones is filled with its initial value.
 *
 * <p>Operands: N inputs, then N initial values, scalars. The computation takes N accumulators and N
 * elements, scalars, and gives N accumulators: a tuple if N is above 1. One accumulator may be
 * given as a tuple too; the result then is a tuple of one array. Elements are reduced in row-major
 * order, beginning with the initial value.
 *
 * <pre>
 *   sum of f32[2,3] over dimensions={1}
 *     1 2 3   -&gt;   0+1+2+3
 *     4 5 6   -&gt;   0+4+5+6
 * </pre>
 *
 * @param dimensions the dimensions to reduce, distinct
 */
public record Reduce(Dims dimensions) implements HigherOrder {
  private static final ReductionRules REDUCTION =
      new ReductionRules("reduce C3", "reduce C1", "reduce C2", "reduce C6");

  @Override
  public String opcode() {
    return "reduce";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(2);
  }

  @Override
  public ImmutableList<String> callees() {
    return ImmutableList.of("to_apply");
  }

  /**
   * Returns the dimensions that stay.
   *
   * @param rank the rank of the inputs
   * @return their numbers, in order
   */
  public Dims kept(int rank) {
    return Dims.range(0, rank).without(dimensions);
  }

  @Override
  public Shape resultShape(Operands in) {
    ImmutableList<Shape.Array> inputs = REDUCTION.inputs(in);
    checkDimensions(inputs.get(0));
    Shape.Array kept = inputs.get(0).select(kept(inputs.get(0).rank()));
    ImmutableList<Shape.Array> results =
        inputs.stream()
            .map(input -> kept.withElementType(input.elementType()))
            .collect(ImmutableList.toImmutableList());
    REDUCTION.checkBody(in, inputs);
    return ReductionRules.together(results, in.called().get(0));
  }

  private void checkDimensions(Shape.Array input) {
    for (int i = 0; i < dimensions.count(); i++) {
      requireDimension(
          dimensions.get(i),
          input.rank(),
          "reduce C4",
          "dimensions[%s] got %s, want a dimension of %s",
          i,
          dimensions.get(i),
          input);
    }
    require(
        dimensions.isDistinct(),
        "reduce C5",
        "dimensions got %s, want no dimension twice",
        dimensions);
  }
}
