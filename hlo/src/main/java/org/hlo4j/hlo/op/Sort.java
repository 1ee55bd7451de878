package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Sorts N arrays of the same sizes together along a dimension: all arrays are permuted alike.
 *
 * <p>The computation takes two elements of each array, {@code (a0, b0, a1, b1, ...)}, and says
 * whether the a's come before the b's. In hlo4j the sort is always stable. Beside an array with a
 * bound, the elements of others beyond its size stay where they are.
 *
 * <pre>
 *   keys   3 1 2    values 7 8 9    a0 &lt; b0
 *   -&gt;     1 2 3           8 9 7
 * </pre>
 *
 * @param dimensions the single dimension to sort along
 * @param isStable whether equal elements must keep their order
 */
public record Sort(Dims dimensions, boolean isStable) implements HigherOrder {
  /**
   * Sorts along one dimension.
   *
   * @param dimension the dimension
   * @param isStable whether equal elements must keep their order
   */
  public Sort(int dimension, boolean isStable) {
    this(Dims.of(dimension), isStable);
  }

  @Override
  public String opcode() {
    return "sort";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(1);
  }

  @Override
  public ImmutableList<String> callees() {
    return ImmutableList.of("to_apply");
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array first = in.array(0, "input 0");
    ImmutableList.Builder<Shape> scalars = ImmutableList.builder();
    ImmutableList.Builder<Shape> results = ImmutableList.builder();
    for (int i = 0; i < in.shapes().size(); i++) {
      Shape.Array input = in.array(i, "input " + i);
      require(
          input.sizes().equals(first.sizes()),
          "sort C3",
          "sizes of input %s got %s, want those of input 0, %s",
          i,
          input,
          first);
      scalars.add(Shape.of(input.elementType()), Shape.of(input.elementType()));
      results.add(input.withLayout(null));
    }
    DimensionList.requireOne("sort C4", dimensions, first);
    Callee comparator = new Callee("to_apply", in.called().get(0));
    comparator.requireParameters("sort C5", scalars.build());
    comparator.requireResult("sort C5", Shape.of(ElementType.PRED));
    ImmutableList<Shape> shapes = results.build();
    return shapes.size() == 1 ? shapes.get(0) : new Shape.Tuple(shapes);
  }
}
