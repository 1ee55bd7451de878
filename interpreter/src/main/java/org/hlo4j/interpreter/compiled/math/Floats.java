package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.SlowPathFunctions;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * Building blocks of formulas in one floating-point type, f32 or f64: constants, polynomials, and
 * bits of exponents and signs. A method with two constants takes the one for f32 and the one for
 * f64.
 */
final class Floats {
  /**
   * The reduction of x by ln 2. {@code count} is x log2(e) rounded, as a float; {@code bits} has it
   * in its low bits; {@code rest} is what remains of x, and {@code high} is the same without the
   * low part of ln 2.
   */
  record Reduced(Value count, Value bits, Value high, Value rest) {}

  private static final double LOG2_E = 0x1.71547652b82fep+0;

  final CodeEmitter emitter;
  private final Lane lane;
  private final Lane bits;
  private final boolean isDouble;
  private final int mantissaBits;
  private final int bias;

  Floats(CodeEmitter emitter, Lane lane) {
    this.emitter = emitter;
    this.lane = lane;
    this.isDouble = lane == Lane.F64;
    this.bits = isDouble ? Lane.I64 : Lane.I32;
    this.mantissaBits = isDouble ? 52 : 23;
    this.bias = isDouble ? 1023 : 127;
  }

  /** Returns the exponent bits of 1. */
  int bias() {
    return bias;
  }

  boolean isDouble() {
    return isDouble;
  }

  double pick(double f32, double f64) {
    return isDouble ? f64 : f32;
  }

  long pick(long f32, long f64) {
    return isDouble ? f64 : f32;
  }

  double[] pick(double[] f32, double[] f64) {
    return isDouble ? f64 : f32;
  }

  Value number(double number) {
    return emitter.constant(lane, number);
  }

  Value number(double f32, double f64) {
    return number(pick(f32, f64));
  }

  Value integer(long integer) {
    return emitter.constant(bits, integer);
  }

  // ---- arithmetic

  Value add(Value a, double b) {
    return emitter.add(a, number(b));
  }

  Value times(Value a, double b) {
    return emitter.multiply(a, number(b));
  }

  Value square(Value a) {
    return emitter.multiply(a, a);
  }

  Value fma(Value a, Value b, double c) {
    return emitter.fma(a, b, number(c));
  }

  Value fma(Value a, double b, Value c) {
    return emitter.fma(a, number(b), c);
  }

  Value fma(Value a, double b, double c) {
    return emitter.fma(a, number(b), number(c));
  }

  /** Returns a + b - sum exactly, where sum is a + b rounded. */
  Value sumLow(Value a, Value b, Value sum) {
    Value bRounded = emitter.subtract(sum, a);
    Value aRounded = emitter.subtract(sum, bRounded);
    return emitter.add(emitter.subtract(a, aRounded), emitter.subtract(b, bRounded));
  }

  /** Returns the same if |a| is not less than |b|, or a is 0. */
  Value orderedSumLow(Value a, Value b, Value sum) {
    return emitter.add(emitter.subtract(a, sum), b);
  }

  /** Returns a * b - product exactly, where product is a * b rounded. */
  Value productLow(Value a, Value b, Value product) {
    return emitter.fma(a, b, emitter.negate(product));
  }

  /**
   * Returns {@code coefficients[0] + coefficients[1] * x + ...}, by Horner's rule on pairs of
   * terms.
   */
  Value polynomial(Value x, double... coefficients) {
    int last = (coefficients.length - 1) / 2 * 2;
    Value sum = pair(x, last, coefficients);
    Value square = last > 0 ? square(x) : x;
    for (int i = last - 2; i >= 0; i -= 2) {
      sum = emitter.fma(sum, square, pair(x, i, coefficients));
    }
    return sum;
  }

  private Value pair(Value x, int from, double... coefficients) {
    Value even = number(coefficients[from]);
    return from + 1 < coefficients.length ? fma(x, coefficients[from + 1], even) : even;
  }

  // ---- comparisons and selects

  /** Returns whether {@code a < b}; false for NaN. */
  Value isBelow(Value a, double b) {
    return emitter.compare(Relation.LT, a, number(b));
  }

  /** Returns whether a number is denormal, or at most 0. */
  Value isTiny(Value a) {
    return isBelow(a, pick(Float.MIN_NORMAL, Double.MIN_NORMAL));
  }

  /** Returns the lesser of a value and a limit; NaN stays NaN. */
  Value atMost(Value value, double limit) {
    return bounded(value, limit, Relation.GT);
  }

  /** Returns the greater of a value and a limit; NaN stays NaN. */
  Value atLeast(Value value, double limit) {
    return bounded(value, limit, Relation.LT);
  }

  /** Returns the limit for values that are beyond it. */
  private Value bounded(Value value, double limit, Relation beyond) {
    Value bound = number(limit);
    if (emitter.canCall()) { // C2 vectorizes this, but not a select
      return beyond == Relation.GT ? emitter.min(value, bound) : emitter.max(value, bound);
    }
    return emitter.select(emitter.compare(beyond, value, bound), bound, value);
  }

  /**
   * Returns whether the code is for single elements of f32, which C2 is to vectorize. C2 does not
   * vectorize selects, bits reinterpreted as floats, and shifts by variable amounts; nor code in
   * which one value is a factor of two products of which one is a factor of the other.
   */
  boolean isForAutoVectorization() {
    return emitter.canCall() && !isDouble;
  }

  /**
   * Returns {@code a < limit ? onTrue : onFalse}, for finite numbers that are not negative; NaN for
   * NaN.
   */
  Value selectBelow(Value a, double limit, Value onTrue, Value onFalse) {
    if (!isForAutoVectorization()) {
      return emitter.select(isBelow(a, limit), onTrue, onFalse);
    }
    Value below = times(emitter.subtract(number(limit), a), 0x1p60);
    Value isTrue = atLeast(atMost(below, 1), 0);
    Value isFalse = emitter.subtract(number(1), isTrue);
    return emitter.fma(isTrue, onTrue, emitter.multiply(isFalse, onFalse));
  }

  /**
   * Returns a finite, non-negative magnitude with the sign of another value; either both are 0 or
   * neither.
   */
  Value copySignOfFinite(Value magnitude, Value sign) {
    return isForAutoVectorization()
        ? emitter.multiply(magnitude, emitter.call(Math.class, "signum", Lane.F32, sign))
        : emitter.withSign(magnitude, sign);
  }

  // ---- bits

  private Value signBit() {
    return integer(isDouble ? Long.MIN_VALUE : Integer.MIN_VALUE);
  }

  /** Returns whether the sign bit is set. */
  Value hasSign(Value value) {
    return emitter.compare(Relation.LT, emitter.reinterpret(value), integer(0));
  }

  /** Returns the value, negated where the sign bit of the integer is set. */
  Value negatedBy(Value value, Value integer) {
    Value flip = emitter.and(integer, signBit());
    return emitter.reinterpret(emitter.xor(emitter.reinterpret(value), flip));
  }

  Value toExponent(Value integer) {
    return emitter.shiftLeft(integer, mantissaBits);
  }

  /** Returns the bits of {@link #rounder}. */
  long rounderBits(int offset) {
    double rounder = rounder(offset);
    return isDouble ? Double.doubleToRawLongBits(rounder) : Float.floatToIntBits((float) rounder);
  }

  /** Returns 2^n, where the low bits of the integer are n + bias. */
  Value powerOfTwo(Value integer) {
    return emitter.reinterpret(toExponent(integer));
  }

  /** Returns the biased exponent of a number that is not negative, given as bits. */
  Value exponent(Value integerBits) {
    return emitter.shiftRightLogical(integerBits, mantissaBits);
  }

  Value mantissa(Value integerBits) {
    return emitter.and(integerBits, integer((1L << mantissaBits) - 1));
  }

  /** Returns the number from 1 to 2 that has the mantissa of a number given as bits. */
  Value withExponentOfOne(Value integerBits) {
    long one = (long) bias << mantissaBits;
    return emitter.reinterpret(emitter.or(mantissa(integerBits), integer(one)));
  }

  /**
   * Returns a constant that rounds: added to a small number, it leaves the rounded number plus the
   * offset in the low bits of the sum.
   */
  double rounder(int offset) {
    return 1.5 * (1L << mantissaBits) + offset;
  }

  /** Returns a small integer less the offset, as a float. */
  Value fromSmall(Value integer, int offset) {
    Value shifted = emitter.reinterpret(emitter.add(integer, integer(rounderBits(0))));
    return emitter.subtract(shifted, number(rounder(offset)));
  }

  /** Returns whether the lowest bit is one. */
  Value isOdd(Value integer) {
    return emitter.compare(Relation.NE, emitter.and(integer, integer(1)), integer(0));
  }

  /** Moves a bit of the integer to the sign position of floats. */
  Value bitToSign(Value integer, int bit) {
    return emitter.shiftLeft(integer, (isDouble ? 63 : 31) - bit);
  }

  /**
   * A power of two, 2^count = {@code eighth^2 * rest}, in a form that C2 vectorizes: the upper bits
   * of the count and its lower four bits each shift a one.
   */
  record Power(Value eighth, Value rest) {}

  /** Returns 2^count as {@code eighth^2 * rest}, for counts from -160 to 159. */
  Power power(Value count) {
    Value n = emitter.convert(count, Lane.I32);
    Value upper = emitter.convert(rotateLeft(1 << 10, emitter.shiftRight(n, 4)), Lane.F32);
    Value whole = square(square(square(times(upper, 0x1p-10))));
    Value rest = emitter.convert(rotateLeft(1, emitter.and(n, integer(15))), Lane.F32);
    return new Power(whole, rest);
  }

  /** Returns 2^count in a form that C2 vectorizes, for counts from 0 to 30. */
  Value smallPower(Value count) {
    return emitter.convert(rotateLeft(1, emitter.convert(count, Lane.I32)), Lane.F32);
  }

  /** Rotates a constant left: C2 vectorizes rotations by variable amounts, but not shifts. */
  private Value rotateLeft(int number, Value by) {
    return emitter.call(Integer.class, "rotateLeft", Lane.I32, integer(number), by);
  }

  // ---- large arguments, and ln 2

  /**
   * Returns the result, replaced by that of a {@link SlowPathFunctions} method where a is not below
   * the limit.
   */
  Value withSlowPath(Value result, Value a, double limit, String method, Value... operands) {
    Value isLarge = emitter.compare(Relation.GE, a, number(limit));
    return emitter.callWhere(result, isLarge, SlowPathFunctions.class, method, operands);
  }

  /** Returns the high part of ln 2, with so few bits that its multiples are exact. */
  double ln2High() {
    return pick(0x1.62e4p-1, LN2_HIGH_F64);
  }

  double ln2Low() {
    return pick(0x1.7f7d1cp-20, LN2_LOW_F64);
  }

  private static final double LN2_HIGH_F64 = 0x1.62e42fefa38p-1;
  private static final double LN2_LOW_F64 = 0x1.ef35793c7673p-45;

  /**
   * Reduces x = count ln 2 + rest, with |rest| at most ln 2 / 2. The offset is added to the bits
   * only.
   */
  Reduced reduceByLn2(Value x, int offset) {
    return reduceByLn2(x, x, offset);
  }

  /**
   * Reduces x as {@link #reduceByLn2} does, with x at most a limit. Where x is greater, the rest is
   * positive, and may exceed its bound by the difference if that is cheaper. For NaN the rest is
   * NaN.
   */
  Reduced reduceByLn2UpTo(double limit, Value x, int offset) {
    if (emitter.canCall() || isDouble) {
      return reduceByLn2(atMost(x, limit), offset);
    }
    Value bits = emitter.min(emitter.reinterpret(x), integer(Float.floatToIntBits((float) limit)));
    return reduceByLn2(x, emitter.reinterpret(bits), offset);
  }

  private Reduced reduceByLn2(Value x, Value counted, int offset) {
    double rounder = rounder(offset);
    Value shifted = fma(counted, pick((float) LOG2_E, LOG2_E), rounder);
    Value count = emitter.subtract(shifted, number(rounder));
    Value high = fma(count, -ln2High(), x);
    Value rest = fma(count, -ln2Low(), high);
    return new Reduced(count, emitter.reinterpret(shifted), high, rest);
  }
}
