package org.hlo4j.interpreter.compiled.math;

import java.util.Arrays;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * Generated code for arc sine, arc cosine and arc tangent. A value whose name ends in Low holds the
 * rounding error of another value.
 */
final class ArcFunctions {
  /** Coefficients in x^2 of (asin(x) - x) / x^3, for x up to 1/2. */
  private static final double[] ASIN_F32 = {
    0x1.55554cp-3, 0x1.33387cp-4, 0x1.6caed2p-5, 0x1.04919ep-5, 0x1.d91fb2p-7, 0x1.3355c4p-5
  };

  private static final double[] ASIN_F64 = {
    0x1.5555555555577p-3, 0x1.333333332e100p-4, 0x1.6db6db721438cp-5, 0x1.f1c71a94610c7p-6,
    0x1.6e8bdeee2bdecp-6, 0x1.1c49ef7ebcb21p-6, 0x1.ca1fa03de9701p-7, 0x1.7584fcc0ef23dp-7,
    0x1.613f67187f1f5p-7, 0x1.e5cd50f50514dp-9, 0x1.63a7ed44b9d0dp-6, -0x1.580cd14b9c728p-6,
    0x1.0b4b4911aee29p-5
  };

  /** Coefficients in x^2 of (atan(x) - x) / x^3, for x up to 1. */
  private static final double[] ATAN_F32 = {
    -0x1.55553ep-2,
    0x1.9991fep-3,
    -0x1.2421b6p-3,
    0x1.c09a06p-4,
    -0x1.5834ap-4,
    0x1.daca02p-5,
    -0x1.fed18p-6,
    0x1.65a664p-7,
    -0x1.d62fd8p-10
  };

  private static final double[] ATAN_F64 = {
    -0x1.555555555554dp-2, 0x1.9999999998c28p-3, -0x1.2492492456adep-3, 0x1.c71c71b629adcp-4,
    -0x1.745d15d03bce7p-4, 0x1.3b139bcf0b3bap-4, -0x1.1110326bb1f9fp-4, 0x1.e1d48736d93c9p-5,
    -0x1.aeda526749a6dp-5, 0x1.84b451041ddeap-5, -0x1.5f24248261ff0p-5, 0x1.3904555d63d1cp-5,
    -0x1.0c9410b1b91b7p-5, 0x1.ac782670f9653p-6, -0x1.30f9bd9ed4ee6p-6, 0x1.72db95d672b95p-7,
    -0x1.6fd099dd1d4acp-8, 0x1.1a03b3aa8862ap-9, -0x1.36d95813abb1cp-11, 0x1.b3ac9566c22e8p-14,
    -0x1.2263dcd7a1f7bp-17
  };

  private final Floats floats;
  private final CodeEmitter emitter;

  ArcFunctions(Floats floats) {
    this.floats = floats;
    this.emitter = floats.emitter;
  }

  private Value halfPi() {
    return floats.number(0x1.921fb6p+0, 0x1.921fb54442d18p+0);
  }

  private double halfPiLow() {
    return floats.pick(-0x1.777a5cp-25, 0x1.1a62633145c07p-54);
  }

  /**
   * The reduction of an argument of asin to s, at most 1/2, with asin(s) = s + bend. Up to 1/2, s =
   * x; above, s = sqrt((1 - x) / 2) and asin(x) = pi/2 - 2 asin(s).
   */
  private record ReducedArgument(Value isLarge, Value s, Value correction) {}

  private ReducedArgument reduceArgument(Value a, Value small) {
    Value isLarge = emitter.compare(Relation.GE, a, floats.number(0.5));
    Value complement = floats.times(emitter.subtract(floats.number(1), a), 0.5);
    Value square = emitter.select(isLarge, complement, floats.square(a));
    Value s = emitter.select(isLarge, emitter.sqrt(complement), small);
    Value p = floats.polynomial(square, floats.pick(ASIN_F32, ASIN_F64));
    return new ReducedArgument(isLarge, s, emitter.multiply(emitter.multiply(s, square), p));
  }

  Value asin(Value x) {
    Value a = emitter.abs(x);
    ReducedArgument reduced = reduceArgument(a, a);
    Value minusTwice = floats.times(reduced.s(), -2);
    Value high = emitter.add(halfPi(), minusTwice);
    Value highLow = floats.orderedSumLow(halfPi(), minusTwice, high);
    Value rest = floats.fma(reduced.correction(), -2, floats.add(highLow, halfPiLow()));
    Value large = emitter.add(high, rest);
    Value small = emitter.add(reduced.s(), reduced.correction());
    return emitter.withSign(emitter.select(reduced.isLarge(), large, small), x);
  }

  /** Computes acos(x) as pi/2 - asin(x), 2 asin(s), or pi - 2 asin(s). */
  Value acos(Value x) {
    ReducedArgument reduced = reduceArgument(emitter.abs(x), x);
    Value rest = floats.add(reduced.correction(), -halfPiLow());
    Value small = emitter.subtract(halfPi(), emitter.add(reduced.s(), rest));
    Value right = emitter.add(reduced.s(), reduced.correction());
    Value left = emitter.subtract(emitter.subtract(halfPi(), reduced.s()), rest);
    Value large = emitter.select(floats.isBelow(x, 0), left, right);
    return emitter.select(reduced.isLarge(), emitter.add(large, large), small);
  }

  Value atan(Value x) {
    Value a = emitter.abs(x);
    Value one = floats.number(1);
    Value isSteep = emitter.compare(Relation.GT, a, one);
    Value least = emitter.select(isSteep, one, a);
    Value greatest = emitter.select(isSteep, a, one);
    Value q = emitter.divide(least, greatest);
    // The remainder over a: where it is not 0, q stands for 1 / a.
    Value low = emitter.multiply(emitter.fma(emitter.negate(q), greatest, least), q);
    return emitter.withSign(angle(isSteep, q, finiteOrZero(low, q)), x);
  }

  /** Computes atan(q + qLow), or, where the angle is steep, pi/2 less that. */
  private Value angle(Value isSteep, Value q, Value qLow) {
    Value square = floats.square(q);
    double[] atan = floats.pick(ATAN_F32, ATAN_F64);
    Value others = floats.polynomial(square, Arrays.copyOfRange(atan, 1, atan.length));
    // The first coefficient is added last: in pairs, 4 results of f32 near q = 1 are 2 ulp off.
    Value p = emitter.fma(others, square, floats.number(atan[0]));
    Value correction = emitter.fma(emitter.multiply(q, square), p, qLow);
    Value rest = floats.add(correction, -halfPiLow());
    Value steep = emitter.subtract(emitter.subtract(halfPi(), q), rest);
    return emitter.select(isSteep, steep, emitter.add(q, correction));
  }

  /**
   * Computes atan2(y, x). The lesser of |y| and |x| divided by the greater gives the angle from the
   * nearer axis.
   */
  Value atan2(Value y, Value x) {
    Value height = emitter.abs(y);
    Value width = emitter.abs(x);
    Value isSteep = emitter.compare(Relation.GT, height, width);
    Value least = emitter.select(isSteep, width, height);
    Value greatest = emitter.select(isSteep, height, width);
    Value q = quotient(least, greatest);
    Value remainder = emitter.fma(emitter.negate(q), greatest, least);
    Value low = emitter.divide(remainder, greatest);
    Value right = angle(isSteep, q, finiteOrZero(low, q));
    double piLow = 2 * halfPiLow();
    Value pi = emitter.add(halfPi(), halfPi());
    Value left = emitter.subtract(pi, floats.add(right, -piLow));
    return emitter.withSign(emitter.select(floats.hasSign(x), left, right), y);
  }

  /** Returns the rounding error of a quotient, or 0 where it is not a proper number. */
  private Value finiteOrZero(Value low, Value q) {
    Value isLow = emitter.compare(Relation.LE, emitter.abs(low), q);
    return emitter.select(isLow, low, floats.number(0));
  }

  /** Divides; 0 / 0 is 0, and infinity / infinity is 1. */
  private Value quotient(Value least, Value greatest) {
    Value isEqual = emitter.compare(Relation.EQ, least, greatest);
    Value isZero = emitter.compare(Relation.EQ, greatest, floats.number(0));
    Value ofEqual = emitter.select(isZero, floats.number(0), floats.number(1));
    return emitter.select(isEqual, ofEqual, emitter.divide(least, greatest));
  }
}
