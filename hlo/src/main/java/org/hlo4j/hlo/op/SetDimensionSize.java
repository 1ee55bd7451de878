package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.util.Set;
import java.util.TreeSet;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Sets the size of a dimension to the second operand, an s32 scalar that is at most the bound, or
 * makes the dimension static again.
 *
 * @param shape the shape of the result: that of the operand, except for whether the dimension is
 *     dynamic
 * @param dimensions the single dimension
 */
public record SetDimensionSize(Shape.Array shape, Dims dimensions) implements Sizing {
  /**
   * Makes a dimension dynamic, its size so far being its bound.
   *
   * @param operand the shape of the operand
   * @param dimension the dimension
   * @return the op
   */
  public static SetDimensionSize dynamic(Shape.Array operand, int dimension) {
    requireNonNull(operand, "operand");
    DimensionList.requireOne("", Dims.of(dimension), operand);
    Set<Integer> dynamic = new TreeSet<>(operand.dynamicDimensions());
    dynamic.add(dimension);
    return new SetDimensionSize(operand.withLayout(null).withDynamic(dynamic), Dims.of(dimension));
  }

  /**
   * Makes a dimension static, its bound being its size.
   *
   * @param operand the shape of the operand
   * @param dimension the dimension
   * @return the op
   */
  public static SetDimensionSize fixed(Shape.Array operand, int dimension) {
    requireNonNull(operand, "operand");
    DimensionList.requireOne("", Dims.of(dimension), operand);
    require(
        !operand.isUnbounded(dimension),
        "",
        "dimension %s of %s got no bound, want one to be its size",
        dimension,
        operand);
    return new SetDimensionSize(
        operand
            .withLayout(null)
            .withDynamic(operand.dynamicDimensions().stream().filter(i -> i != dimension).toList()),
        Dims.of(dimension));
  }

  /**
   * Returns the dimension changed.
   *
   * @return the dimension
   */
  public int dimension() {
    return dimensions.getInt(0);
  }

  @Override
  public String opcode() {
    return "set-dimension-size";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(2);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    Shape.Array size = in.array(1, "size");
    DimensionList.requireOne("", dimensions, operand);
    require(
        size.isScalar() && size.elementType() == ElementType.S32,
        "",
        "size got %s, want s32[]",
        size);
    Shape.Array dynamic = dynamic(operand, dimension()).shape();
    require(
        shape.compatible(dynamic)
            || (!operand.isUnbounded(dimension())
                && shape.compatible(fixed(operand, dimension()).shape())),
        "",
        "result got %s, want %s, or dimension %s static",
        shape,
        dynamic,
        dimension());
    return shape;
  }
}
