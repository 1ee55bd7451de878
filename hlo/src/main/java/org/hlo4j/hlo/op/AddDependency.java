package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/** Forwards the first operand, ordered after the second operand, a token. */
public record AddDependency() implements ForwardingOp {
  @Override
  public String opcode() {
    return "add-dependency";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(2);
  }

  @Override
  public Shape resultShape(Operands in) {
    in.requireToken(1, "token");
    return in.shapes().get(0).withoutLayout();
  }
}
