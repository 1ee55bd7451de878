package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/**
 * A token that is ordered after all its operands, which are tokens. Without operands it is a new
 * token.
 */
public record AfterAll() implements ForwardingOp {
  @Override
  public String opcode() {
    return "after-all";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(0);
  }

  @Override
  public Shape resultShape(Operands in) {
    for (int i = 0; i < in.shapes().size(); i++) {
      in.requireToken(i, "operand " + i);
    }
    return Shape.token();
  }
}
