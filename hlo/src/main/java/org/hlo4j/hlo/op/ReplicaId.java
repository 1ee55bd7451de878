package org.hlo4j.hlo.op;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/** The number of the replica that runs this: u32[], 0 if there is only one. */
public record ReplicaId() implements External {
  @Override
  public String opcode() {
    return "replica-id";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(0);
  }

  @Override
  public Shape resultShape(Operands in) {
    return Shape.of(ElementType.U32);
  }
}
