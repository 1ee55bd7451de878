package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/** Ends the {@link AllReduceStart} that is its operand, with the result. */
public record AllReduceDone() implements ForwardingOp {
  @Override
  public String opcode() {
    return "all-reduce-done";
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
