package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/** Completes the {@link CollectivePermuteStart} that is its operand, and returns its result. */
public record CollectivePermuteDone() implements ForwardingOp {
  @Override
  public String opcode() {
    return "collective-permute-done";
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
