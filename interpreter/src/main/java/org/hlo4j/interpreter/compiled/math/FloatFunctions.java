package org.hlo4j.interpreter.compiled.math;

import java.util.Optional;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.ScalarCalls;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.math.RealMath;

/** Generated code for functions of floats with HLO's semantics. */
final class FloatFunctions {
  private FloatFunctions() {}

  /** Computes the maximum. NaN wins; -0 is less than +0. */
  static Value maximum(CodeEmitter emitter, Value a, Value b) {
    return extremum(emitter, a, b, 0.0, Relation.LT, Relation.LE, CodeEmitter::max);
  }

  /** Computes the minimum. NaN wins; -0 is less than +0. */
  static Value minimum(CodeEmitter emitter, Value a, Value b) {
    return extremum(emitter, a, b, -0.0, Relation.GT, Relation.GE, CodeEmitter::min);
  }

  /**
   * Computes a maximum or minimum. Vector code is shorter if an operand is constant: that one wins
   * where the other is beyond it, or equal to it if it is the zero that wins over the other zero.
   */
  private static Value extremum(
      CodeEmitter emitter,
      Value a,
      Value b,
      double winningZero,
      Relation beyond,
      Relation notWithin,
      LaneFunction.Binary otherwise) {
    Optional<Double> limit = limit(emitter, b);
    if (limit.isEmpty()) {
      return limit(emitter, a).isPresent()
          ? extremum(emitter, b, a, winningZero, beyond, notWithin, otherwise)
          : otherwise.write(emitter, a, b);
    }
    Relation relation = limit.get().equals(winningZero) ? notWithin : beyond;
    return emitter.select(emitter.compare(relation, a, b), b, a);
  }

  private static Optional<Double> limit(CodeEmitter emitter, Value value) {
    return emitter.canCall()
        ? Optional.empty() // C2 vectorizes Math.max, but not a select
        : emitter.constantValue(value).map(Number::doubleValue).filter(number -> !number.isNaN());
  }

  static Value sign(CodeEmitter emitter, Value value) {
    Lane lane = value.lane();
    Value one = emitter.withSign(emitter.constant(lane, 1), value);
    Value hasSign = emitter.compare(Relation.GT, emitter.abs(value), emitter.constant(lane, 0));
    return emitter.select(hasSign, one, value);
  }

  /** Rounds to the nearest integer, halves away from zero. */
  static Value roundNearestAfz(CodeEmitter emitter, Value value) {
    Lane lane = value.lane();
    Value magnitude = emitter.abs(value);
    Value whole = emitter.floor(magnitude);
    Value rest = emitter.subtract(magnitude, whole);
    Value isHalf = emitter.compare(Relation.GE, rest, emitter.constant(lane, 0.5));
    Value more = emitter.add(whole, emitter.constant(lane, 1));
    return emitter.withSign(emitter.select(isHalf, more, whole), value);
  }

  static Value isFinite(CodeEmitter emitter, Value value) {
    Value infinity = emitter.constant(value.lane(), Double.POSITIVE_INFINITY);
    return emitter.compare(Relation.LT, emitter.abs(value), infinity);
  }

  static Value remainder(CodeEmitter emitter, Value a, Value b) {
    return a.lane() == Lane.F32
        ? emitter.call(ScalarCalls.class, "remainder", Lane.F32, a, b)
        : emitter.call(RealMath.class, "remainder", Lane.F64, a, b);
  }
}
