package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Reshapes an array to sizes that are known at run time. The elements keep their row-major order.
 *
 * <p>Operands: the array, then the size of each dimension of the result, s32 scalars.
 *
 * @param shape the shape of the result, whose dynamic dimensions have their bounds
 */
public record DynamicReshape(Shape.Array shape) implements Sizing {
  @Override
  public String opcode() {
    return "dynamic-reshape";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    require(
        operand.elementType() == shape.elementType(),
        "dynamic_reshape C1",
        "element type of the result got %s, want %s as the operand",
        shape.elementType(),
        operand.elementType());
    require(
        !operand.hasUnbounded() && !shape.hasUnbounded(),
        "dynamic_reshape C2",
        "got %s to %s, want bounds on all sizes",
        operand,
        shape);
    require(
        operand.elementCount() == shape.elementCount(),
        "dynamic_reshape C2",
        "element count got %s for %s, want %s as in %s",
        shape.elementCount(),
        shape,
        operand.elementCount(),
        operand);
    require(
        in.shapes().size() - 1 == shape.rank(),
        "dynamic_reshape C3",
        "size count got %s, want one for each of the %s dimensions of %s",
        in.shapes().size() - 1,
        shape.rank(),
        shape);
    for (int i = 0; i < shape.rank(); i++) {
      Shape.Array size = in.array(i + 1, "size " + i);
      require(
          size.isScalar() && size.elementType() == ElementType.S32,
          "",
          "size %s got %s, want s32[]",
          i,
          size);
    }
    return shape.withLayout(null);
  }
}
