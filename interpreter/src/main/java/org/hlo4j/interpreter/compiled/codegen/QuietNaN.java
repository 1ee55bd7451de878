package org.hlo4j.interpreter.compiled.codegen;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Select;

/**
 * The one NaN that the reference computes. Processors give NaNs a sign or a payload of their own,
 * which matters only where somebody sees their bits.
 */
public final class QuietNaN {
  private QuietNaN() {}

  /** Whether the bits of a NaN that comes out of an op are those of one that went in. */
  public static boolean keepsBits(Op op) {
    return op instanceof Select
        || op instanceof ReducePrecision
        || (op instanceof Elementwise function && keepsBits(function.kind()));
  }

  private static boolean keepsBits(Elementwise.Kind kind) {
    return switch (kind) {
      case NEGATE, ABS, REAL -> true;
      default -> false;
    };
  }

  /** Whether an op may give another NaN than the one. */
  public static boolean isNeededBy(Op op, ElementType resultType) {
    return resultType.isFloating() && !keepsBits(op) && !(op instanceof BitcastConvert);
  }

  /** A value, or the one NaN in place of any. */
  public static Value instead(CodeEmitter emitter, Value value) {
    Value isNaN = emitter.compare(Relation.NE, value, value);
    return emitter.select(isNaN, emitter.constant(value.lane(), Double.NaN), value);
  }
}
