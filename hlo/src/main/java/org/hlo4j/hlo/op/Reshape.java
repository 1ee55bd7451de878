package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.Shape;

/**
 * The same elements, in the same row-major order, under another shape.
 *
 * @param shape the shape of the result, of as many elements
 */
public record Reshape(Shape.Array shape) implements Op {
  @Override
  public String opcode() {
    return "reshape";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    require(
        operand.elementType() == shape.elementType(),
        "reshape C1",
        "element type of the result got %s, want %s as the operand",
        shape.elementType(),
        operand.elementType());
    require(
        !operand.hasUnbounded() && !shape.hasUnbounded(),
        "reshape C2",
        "got %s to %s, want bounds on all sizes",
        operand,
        shape);
    require(
        operand.elementCount() == shape.elementCount(),
        "reshape C2",
        "element count got %s for %s, want %s as in %s",
        shape.elementCount(),
        shape,
        operand.elementCount(),
        operand);
    return shape;
  }
}
