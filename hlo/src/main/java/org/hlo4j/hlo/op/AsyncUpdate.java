package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/** An intermediate step of an {@link AsyncStart}, its operand, which it forwards. */
public record AsyncUpdate() implements ForwardingOp {
  @Override
  public String opcode() {
    return "async-update";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    AsyncStart.parts(in.shapes().get(0), "operand");
    return in.shapes().get(0).withoutLayout();
  }
}
