package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.Shape;

/**
 * Rounds each float to fewer exponent and mantissa bits, and back to its own type.
 *
 * @param exponentBits exponent bits to keep, 1 at least
 * @param mantissaBits mantissa bits to keep, 0 at least
 */
public record ReducePrecision(int exponentBits, int mantissaBits) implements Op {
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
