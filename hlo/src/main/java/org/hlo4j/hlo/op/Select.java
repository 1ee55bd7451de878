package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/**
 * Takes each element from one of two arrays: {@code result[i] = pred[i] ? onTrue[i] : onFalse[i]}.
 * A scalar pred selects one whole array.
 */
public record Select() implements Pointwise {
  @Override
  public String opcode() {
    return "select";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(3);
  }

  @Override
  public Shape resultShape(Operands in) {
    return Broadcasting.select(
        in.array(0, "pred"), in.array(1, "on_true"), in.array(2, "on_false"));
  }
}
