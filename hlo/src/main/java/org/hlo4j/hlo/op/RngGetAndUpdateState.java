package org.hlo4j.hlo.op;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Returns the hidden 128-bit state of the run, and then adds to it: u64[2], low half first.
 *
 * @param delta the number to add to the state
 */
public record RngGetAndUpdateState(long delta) implements External {
  @Override
  public String opcode() {
    return "rng-get-and-update-state";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(0);
  }

  @Override
  public Shape resultShape(Operands in) {
    return Shape.of(ElementType.U64, 2);
  }
}
