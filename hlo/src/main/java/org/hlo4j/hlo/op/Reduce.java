package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Folds some dimensions of N arrays, all of the same shape, into N initial values.
 *
 * <p>Operands: N inputs, then N initial values, scalars. The computation takes N accumulators and N
 * elements, scalars, and gives N accumulators (a tuple if N is above 1). Elements are folded in
 * row-major order, beginning with the initial value.
 *
 * <pre>
 *   sum of f32[2,3] over dimensions={1}
 *     1 2 3   -&gt;   0+1+2+3
 *     4 5 6   -&gt;   0+4+5+6
 * </pre>
 *
 * @param dimensions the dimensions to fold, distinct
 */
public record Reduce(Dims dimensions) implements Op {
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
   * The dimensions that stay.
   *
   * @param rank the rank of the inputs
   * @return their numbers, in order
   */
  public Dims kept(int rank) {
    return Dims.range(0, rank).without(dimensions);
  }

  @Override
  public Shape resultShape(Operands in) {
    require(
        in.shapes().size() % 2 == 0,
        "reduce C3",
        "operand count got %s, want as many initial values as inputs",
        in.shapes().size());
    int count = in.shapes().size() / 2;
    Shape.Array first = in.array(0, "input 0");
    checkDimensions(first);
    ImmutableList.Builder<Shape> results = ImmutableList.builder();
    ImmutableList.Builder<Shape> scalars = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      Shape.Array input = in.array(i, "input " + i);
      checkInput(first, input, in.array(count + i, "init_value " + i), i);
      results.add(input.select(kept(input.rank())));
      scalars.add(Shape.of(input.elementType()));
    }
    checkReducer(new Callee("to_apply", in.called().get(0)), scalars.build());
    List<Shape> shapes = results.build();
    return count == 1 ? shapes.get(0) : new Shape.Tuple(ImmutableList.copyOf(shapes));
  }

  private void checkDimensions(Shape.Array input) {
    for (int i = 0; i < dimensions.count(); i++) {
      require(
          dimensions.get(i) >= 0 && dimensions.get(i) < input.rank(),
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

  private static void checkInput(Shape.Array first, Shape.Array input, Shape.Array init, int i) {
    require(
        input.sizes().equals(first.sizes()),
        "reduce C1",
        "sizes of input %s got %s, want those of input 0, %s",
        i,
        input,
        first);
    require(
        init.isScalar() && init.elementType() == input.elementType(),
        "reduce C2",
        "init_value %s got %s, want %s as the elements of input %s",
        i,
        init,
        Shape.of(input.elementType()),
        i);
  }

  private static void checkReducer(Callee reducer, ImmutableList<Shape> scalars) {
    reducer.requireParameters(
        "reduce C6", ImmutableList.<Shape>builder().addAll(scalars).addAll(scalars).build());
    reducer.requireResult(
        "reduce C6", scalars.size() == 1 ? scalars.get(0) : new Shape.Tuple(scalars));
  }
}
