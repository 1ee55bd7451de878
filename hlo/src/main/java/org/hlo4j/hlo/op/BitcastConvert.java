package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Reinterprets the bits of the elements as another type.
 *
 * <p>A type of the same width keeps the shape. A narrower type adds a last dimension whose size is
 * the ratio of the widths, the least significant part first. A wider type removes the last
 * dimension, which must have exactly that size. A pred is a byte, as in XLA: 0 for false, and any
 * other for true. (In StableHLO it is one bit.)
 *
 * @param newElementType the element type of the result
 */
public record BitcastConvert(ElementType newElementType) implements Pointwise {
  /**
   * Returns the width of an element as bits that can be read as another type: a byte for pred, the
   * width of the type for all others.
   *
   * @param type an element type
   * @return the number of bits
   */
  public static int width(ElementType type) {
    requireNonNull(type, "type");
    return type == ElementType.PRED ? Byte.SIZE : type.bits();
  }

  @Override
  public String opcode() {
    return "bitcast-convert";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    ElementType from = operand.elementType();
    require(
        from.isComplex() == newElementType.isComplex(),
        "bitcast_convert C2",
        "got %s to %s, want both complex or neither",
        from,
        newElementType);
    int fromBits = width(from);
    int toBits = width(newElementType);
    require(
        fromBits % toBits == 0 || toBits % fromBits == 0,
        "bitcast_convert C1",
        "got %s bits to %s bits, want one a multiple of the other",
        fromBits,
        toBits);
    Dims all = Dims.range(0, operand.rank());
    if (fromBits == toBits) {
      return operand.withElementType(newElementType).withLayout(null);
    }
    if (fromBits > toBits) {
      Shape.Array minor = Shape.of(newElementType, fromBits / toBits);
      return operand.withElementType(newElementType).select(all).append(minor, Dims.of(0));
    }
    int last = operand.rank() - 1;
    require(
        last >= 0 && operand.size(last) == toBits / fromBits && !operand.isDynamic(last),
        "bitcast_convert C1",
        "last dimension got %s, want size %s to make one %s",
        operand,
        toBits / fromBits,
        newElementType);
    return operand.withElementType(newElementType).select(all.subList(0, last));
  }
}
