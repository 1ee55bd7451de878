package org.hlo4j.interpreter.compiled.lanes;

import java.util.Optional;
import org.hlo4j.interpreter.math.RealMath;

/** Functions of floats as HLO has them. */
final class FloatFunctions {
  private FloatFunctions() {}

  /** A magnitude, not negative, with the sign of another number. */
  static Value withSign(Lanes lanes, Value magnitude, Value sign) {
    Value bit = lanes.and(lanes.reinterpret(sign), signBit(lanes, sign.lane()));
    return lanes.reinterpret(lanes.or(lanes.reinterpret(magnitude), bit));
  }

  private static Value signBit(Lanes lanes, Lane lane) {
    return lane == Lane.F32
        ? lanes.constant(Lane.I32, Integer.MIN_VALUE)
        : lanes.constant(Lane.I64, Long.MIN_VALUE);
  }

  /** NaN wins; -0 is less than +0. With a constant, vectors need less for that. */
  static Value maximum(Lanes lanes, Value a, Value b) {
    Optional<Double> limit = limit(lanes, b);
    if (limit.isEmpty()) {
      return limit(lanes, a).isPresent() ? maximum(lanes, b, a) : lanes.max(a, b);
    }
    boolean isZero = Double.doubleToRawLongBits(limit.get()) == 0;
    Value isLess = lanes.compare(isZero ? Relation.LE : Relation.LT, a, b);
    return lanes.select(isLess, b, a);
  }

  /** NaN wins; -0 is less than +0. With a constant, vectors need less for that. */
  static Value minimum(Lanes lanes, Value a, Value b) {
    Optional<Double> limit = limit(lanes, b);
    if (limit.isEmpty()) {
      return limit(lanes, a).isPresent() ? minimum(lanes, b, a) : lanes.min(a, b);
    }
    boolean isNegativeZero = Double.doubleToRawLongBits(limit.get()) == Long.MIN_VALUE;
    Value isGreater = lanes.compare(isNegativeZero ? Relation.GE : Relation.GT, a, b);
    return lanes.select(isGreater, b, a);
  }

  private static Optional<Double> limit(Lanes lanes, Value value) {
    return lanes.canCall()
        ? Optional.empty() // C2 vectorises Math.max, but no choice
        : lanes.known(value).map(Number::doubleValue).filter(number -> !number.isNaN());
  }

  static Value sign(Lanes lanes, Value value) {
    Lane lane = value.lane();
    Value one = withSign(lanes, lanes.constant(lane, 1), value);
    Value hasSign = lanes.compare(Relation.GT, lanes.abs(value), lanes.constant(lane, 0));
    return lanes.select(hasSign, one, value);
  }

  /** To the nearest integer, halves away from zero. */
  static Value roundNearestAfz(Lanes lanes, Value value) {
    Lane lane = value.lane();
    Value magnitude = lanes.abs(value);
    Value whole = lanes.floor(magnitude);
    Value rest = lanes.subtract(magnitude, whole);
    Value isHalf = lanes.compare(Relation.GE, rest, lanes.constant(lane, 0.5));
    Value more = lanes.add(whole, lanes.constant(lane, 1));
    return withSign(lanes, lanes.select(isHalf, more, whole), value);
  }

  static Value isFinite(Lanes lanes, Value value) {
    Value infinity = lanes.constant(value.lane(), Double.POSITIVE_INFINITY);
    return lanes.compare(Relation.LT, lanes.abs(value), infinity);
  }

  static Value remainder(Lanes lanes, Value a, Value b) {
    return a.lane() == Lane.F32
        ? lanes.call(ScalarCalls.class, "remainder", Lane.F32, a, b)
        : lanes.call(RealMath.class, "remainder", Lane.F64, a, b);
  }
}
