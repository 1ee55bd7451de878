package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/** Forwards the operand. A compiler must not move instructions across it. */
public record OptBarrier() implements ForwardingOp {
  @Override
  public String opcode() {
    return "opt-barrier";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    return in.shapes().get(0).withoutLayout();
  }
}
