package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/**
 * Keeps each element between two bounds: {@code result[i] = min(max(operand[i], min[i]), max[i])}.
 * Either bound may be a scalar.
 */
public record Clamp() implements Pointwise {
  @Override
  public String opcode() {
    return "clamp";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(3);
  }

  @Override
  public Shape resultShape(Operands in) {
    return Broadcasting.clamp(in.array(0, "min"), in.array(1, "operand"), in.array(2, "max"));
  }
}
