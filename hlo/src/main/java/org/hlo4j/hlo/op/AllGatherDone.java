package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/** Completes the {@link AllGatherStart} that is its operand, and returns its result. */
public record AllGatherDone() implements ForwardingOp {
  @Override
  public String opcode() {
    return "all-gather-done";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    return Collectives.started(in.shapes().get(0), "operand").get(1).withoutLayout();
  }
}
