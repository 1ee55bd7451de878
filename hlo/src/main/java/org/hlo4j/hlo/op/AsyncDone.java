package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/** Completes an {@link AsyncStart} or {@link AsyncUpdate}, its operand, and returns the result. */
public record AsyncDone() implements ForwardingOp {
  @Override
  public String opcode() {
    return "async-done";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    return AsyncStart.parts(in.shapes().get(0), "operand").get(1).withoutLayout();
  }
}
