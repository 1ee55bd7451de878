package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * A constant of the program.
 *
 * @param literal the value
 */
public record Constant(Literal literal) implements ForwardingOp {
  @Override
  public String opcode() {
    return "constant";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(0);
  }

  @Override
  public Shape resultShape(Operands in) {
    return literal.shape();
  }
}
