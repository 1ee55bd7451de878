package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import java.math.BigInteger;
import java.util.List;
import org.hlo4j.hlo.Shape;

/**
 * Reinterprets the operand's memory as another shape: the same bytes, in the order of the layouts.
 * With row-major layouts and the same element type this is a reshape.
 *
 * @param shape the shape of the result, with its layout
 */
public record Bitcast(Shape.Array shape) implements Movement {
  @Override
  public String opcode() {
    return "bitcast";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    require(
        operand.elementType().isComplex() == shape.elementType().isComplex(),
        "",
        "got %s to %s, want both complex or neither",
        operand,
        shape);
    require(
        !operand.isDynamic() && !shape.isDynamic(),
        "",
        "got %s to %s, want static sizes",
        operand,
        shape);
    require(
        bits(operand).equals(bits(shape)),
        "",
        "size got %s bits for %s, want %s bits as %s",
        bits(shape),
        shape,
        bits(operand),
        operand);
    return shape;
  }

  private static BigInteger bits(Shape.Array array) {
    return BigInteger.valueOf(array.elementCount())
        .multiply(BigInteger.valueOf(BitcastConvert.width(array.elementType())));
  }

  /**
   * {@code result[i] = operand[j]} where i and j are the same row-major position; the element types
   * have the same width.
   */
  @Override
  public <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index) {
    return new Reshape(result).source(x, operands, result, index);
  }
}
