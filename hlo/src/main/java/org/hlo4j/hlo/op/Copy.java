package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/** Copies the operand; only the layout may differ. */
public record Copy() implements ForwardingOp {
  @Override
  public String opcode() {
    return "copy";
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
