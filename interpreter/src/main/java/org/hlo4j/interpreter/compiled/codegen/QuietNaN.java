package org.hlo4j.interpreter.compiled.codegen;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.interpreter.math.ScalarFunction;

/**
 * The quiet NaN that the reference computes. Processors compute NaNs with other signs or payloads,
 * which matters only where the bits are observable.
 */
public final class QuietNaN {
  private QuietNaN() {}

  /** Returns whether an op passes the bits of a NaN operand on to its result. */
  public static boolean keepsBits(Op op) {
    return switch (op) {
      case Select _, ReducePrecision _ -> true;
      case Elementwise function -> keepsBits(function.kind());
      default -> false;
    };
  }

  private static boolean keepsBits(Elementwise.Kind kind) {
    return kind == Elementwise.Kind.REAL || ScalarFunction.of(kind).changesOnlySignBit();
  }

  /** Returns whether the result of an op may be another NaN than the quiet one. */
  public static boolean isNeededBy(Op op, ElementType resultType) {
    return resultType.isFloating() && !keepsBits(op) && !(op instanceof BitcastConvert);
  }

  /** Returns a value in which any NaN is replaced by the quiet one. */
  public static Value canonicalize(CodeEmitter emitter, Value value) {
    Value isNaN = emitter.compare(Relation.NE, value, value);
    return emitter.select(isNaN, emitter.constant(value.lane(), Double.NaN), value);
  }
}
