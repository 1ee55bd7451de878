package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/** A tuple of the operands. */
public record Tuple() implements ForwardingOp {
  @Override
  public String opcode() {
    return "tuple";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(0);
  }

  @Override
  public Shape resultShape(Operands in) {
    return new Shape.Tuple(in.shapes());
  }
}
