package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/** A token that comes after all its operands, tokens; without any, a new one. */
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
