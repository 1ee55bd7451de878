package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/** Completes the {@link AllReduceStart} that is its operand, and returns its result. */
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
