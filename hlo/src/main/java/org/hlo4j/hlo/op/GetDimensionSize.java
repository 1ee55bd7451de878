package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * The size of a dimension, which for a dynamic one is the size at run time: {@code result =
 * size(operand, dimension)}, an s32 scalar.
 *
 * @param dimensions the single dimension
 */
public record GetDimensionSize(Dims dimensions) implements Sizing {
  /**
   * Returns the size of a dimension.
   *
   * @param dimension the dimension
   * @return the op
   */
  public static GetDimensionSize of(long dimension) {
    return new GetDimensionSize(Dims.of(dimension));
  }

  /**
   * Returns the dimension asked for.
   *
   * @return the dimension
   */
  public int dimension() {
    return dimensions.getInt(0);
  }

  @Override
  public String opcode() {
    return "get-dimension-size";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    DimensionList.requireOne("get_dimension_size C1", dimensions, operand);
    return Shape.of(ElementType.S32);
  }
}
