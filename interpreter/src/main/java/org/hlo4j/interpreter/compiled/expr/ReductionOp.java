package org.hlo4j.interpreter.compiled.expr;

import java.util.Arrays;
import java.util.Optional;
import org.hlo4j.hlo.op.Elementwise.Kind;

/** The element-wise ops that reductions have specialized code for. */
public enum ReductionOp {
  ADD(Kind.ADD),
  AND(Kind.AND),
  MAXIMUM(Kind.MAXIMUM),
  MINIMUM(Kind.MINIMUM),
  MULTIPLY(Kind.MULTIPLY),
  OR(Kind.OR),
  XOR(Kind.XOR);

  private final Kind kind;

  ReductionOp(Kind kind) {
    this.kind = kind;
  }

  /** {@return the op of a kind; empty if reductions have no code for it} */
  public static Optional<ReductionOp> of(Kind kind) {
    return Arrays.stream(values()).filter(op -> op.kind == kind).findFirst();
  }
}
