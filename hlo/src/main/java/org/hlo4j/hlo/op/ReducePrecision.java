package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Rounds each float to fewer exponent and mantissa bits, and keeps its type. The mantissa is
 * rounded to nearest, ties to even. A value that is then too large becomes infinity, and one that
 * is too small becomes a zero of its sign, as in an IEEE type of that many bits without denormals.
 * Infinities and NaNs stay, also without mantissa bits. Exponents are those of {@link #computedIn}.
 *
 * @param exponentBits the exponent bits to keep, at least 1
 * @param mantissaBits the mantissa bits to keep, at least 0
 */
public record ReducePrecision(int exponentBits, int mantissaBits) implements Pointwise {
  /**
   * Returns the type whose bits are rounded. XLA widens types of less than 16 bits first, and
   * rounds the result to them at last: 256 of {@code f8e4m3fn} with four exponent bits is too
   * large, as it is for an IEEE type, and becomes NaN.
   *
   * @param type the element type of the operand
   * @return the type itself, if it has 16 bits or more; else f16, or f32 for {@code f8e8m0fnu}
   */
  public static ElementType computedIn(ElementType type) {
    requireNonNull(type, "type");
    if (type.bits() >= Short.SIZE) {
      return type;
    }
    return type == ElementType.F8E8M0FNU ? ElementType.F32 : ElementType.F16;
  }

  @Override
  public String opcode() {
    return "reduce-precision";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    require(
        operand.elementType().isFloating(),
        "reduce_precision C1",
        "element type got %s, want float",
        operand.elementType());
    require(
        exponentBits >= 1,
        "reduce_precision C2",
        "exponent_bits got %s, want at least 1",
        exponentBits);
    require(
        mantissaBits >= 0,
        "reduce_precision C3",
        "mantissa_bits got %s, want at least 0",
        mantissaBits);
    return operand.withLayout(null);
  }
}
