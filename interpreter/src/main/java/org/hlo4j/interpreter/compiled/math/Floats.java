package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.RareScalars;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * Formulas in one floating-point type, f32 or f64: numbers, polynomials, exponents and signs as
 * bits. What takes two constants takes that of f32 and that of f64.
 */
final class Floats {
  /** x log2(e) rounded as {@code wholes}, as a float and in the low bits; and what it leaves. */
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

  /** The exponent bits of 1. */
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

  /** a + b - sum exactly, where sum is a + b rounded. */
  Value sumLow(Value a, Value b, Value sum) {
    Value bRounded = emitter.subtract(sum, a);
    Value aRounded = emitter.subtract(sum, bRounded);
    return emitter.add(emitter.subtract(a, aRounded), emitter.subtract(b, bRounded));
  }

  /** The same where |a| is not less than |b|, or a is 0. */
  Value orderedSumLow(Value a, Value b, Value sum) {
    return emitter.add(emitter.subtract(a, sum), b);
  }

  /** a * b - product exactly, where product is a * b rounded. */
  Value productLow(Value a, Value b, Value product) {
    return emitter.fma(a, b, emitter.negate(product));
  }

  /** {@code coefficients[0] + coefficients[1] * x + ...}, pairs of terms by Horner's rule. */
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

  // ---- choices

  /** Whether {@code a < b}; false with NaN. */
  Value isBelow(Value a, double b) {
    return emitter.compare(Relation.LT, a, number(b));
  }

  /** The lesser; NaN stays. */
  Value atMost(Value value, double limit) {
    Value bound = number(limit);
    if (emitter.canCall()) {
      return emitter.min(value, bound); // C2 vectorises this, but no choice
    }
    return emitter.select(emitter.compare(Relation.GT, value, bound), bound, value);
  }

  /** The greater; NaN stays. */
  Value atLeast(Value value, double limit) {
    Value bound = number(limit);
    if (emitter.canCall()) {
      return emitter.max(value, bound);
    }
    return emitter.select(emitter.compare(Relation.LT, value, bound), bound, value);
  }

  /**
   * Whether C2 is to make vectors of single elements: it does not of choices, bits as floats, and
   * shifts by what varies; nor where one value is a factor of two products of which one is a factor
   * of the other.
   */
  boolean isForC2() {
    return emitter.canCall() && !isDouble;
  }

  /** {@code a < limit ? onTrue : onFalse}, of finite numbers that are not negative; of NaN NaN. */
  Value chosen(Value a, double limit, Value onTrue, Value onFalse) {
    if (!isForC2()) {
      return emitter.select(isBelow(a, limit), onTrue, onFalse);
    }
    Value below = times(emitter.subtract(number(limit), a), 0x1p60);
    Value isTrue = atLeast(atMost(below, 1), 0);
    Value isFalse = emitter.subtract(number(1), isTrue);
    return emitter.fma(isTrue, onTrue, emitter.multiply(isFalse, onFalse));
  }

  /** A finite magnitude, not negative, with the sign of another value; both are 0 or neither. */
  Value oddly(Value magnitude, Value sign) {
    return isForC2()
        ? emitter.multiply(magnitude, emitter.call(Math.class, "signum", Lane.F32, sign))
        : withSignOf(magnitude, sign);
  }

  // ---- bits

  private Value signBit() {
    return integer(isDouble ? Long.MIN_VALUE : Integer.MIN_VALUE);
  }

  Value signOf(Value value) {
    return emitter.and(emitter.reinterpret(value), signBit());
  }

  /** Whether the sign bit is set. */
  Value hasSign(Value value) {
    return emitter.compare(Relation.LT, emitter.reinterpret(value), integer(0));
  }

  /** A magnitude, not negative, with the sign of another value. */
  Value withSignOf(Value magnitude, Value sign) {
    return emitter.reinterpret(emitter.or(emitter.reinterpret(magnitude), signOf(sign)));
  }

  /** The value, negated where the sign bit of the integer is set. */
  Value negatedBy(Value value, Value integer) {
    Value flip = emitter.and(integer, signBit());
    return emitter.reinterpret(emitter.xor(emitter.reinterpret(value), flip));
  }

  Value toExponent(Value integer) {
    return emitter.shiftLeft(integer, mantissaBits);
  }

  /** The bits of {@link #rounder}. */
  long rounderBits(int offset) {
    double rounder = rounder(offset);
    return isDouble ? Double.doubleToRawLongBits(rounder) : Float.floatToIntBits((float) rounder);
  }

  /** 2^n where the low bits of the integer are n + bias. */
  Value powerOfTwo(Value integer) {
    return emitter.reinterpret(toExponent(integer));
  }

  /** The exponent of what is not negative, with the bias. */
  Value exponent(Value integerBits) {
    return emitter.shiftRightLogical(integerBits, mantissaBits);
  }

  Value mantissa(Value integerBits) {
    return emitter.and(integerBits, integer((1L << mantissaBits) - 1));
  }

  /** From 1 to 2, with the mantissa of a number given as bits. */
  Value withExponentOfOne(Value integerBits) {
    long one = (long) bias << mantissaBits;
    return emitter.reinterpret(emitter.or(mantissa(integerBits), integer(one)));
  }

  /** Adding it to a small number leaves the number, rounded, plus the offset in the low bits. */
  double rounder(int offset) {
    return 1.5 * (1L << mantissaBits) + offset;
  }

  /** A small integer, less the offset, as a float. */
  Value fromSmall(Value integer, int offset) {
    Value shifted = emitter.reinterpret(emitter.add(integer, integer(rounderBits(0))));
    return emitter.subtract(shifted, number(rounder(offset)));
  }

  /** Whether the lowest bit is one. */
  Value isOdd(Value integer) {
    return emitter.compare(Relation.NE, emitter.and(integer, integer(1)), integer(0));
  }

  /** A bit of the integer moved to where floats have their sign. */
  Value bitToSign(Value integer, int bit) {
    return emitter.shiftLeft(integer, (isDouble ? 63 : 31) - bit);
  }

  /** 2^count for C2: the upper bits of the count and the lower four each shift a one. */
  record Power(Value eighth, Value rest) {}

  /** Of counts from -160 to 159, 2^count as {@code eighth^2 * rest}. */
  Power power(Value count) {
    Value n = emitter.convert(count, Lane.I32);
    Value upper = emitter.convert(rotated(1 << 10, emitter.shiftRight(n, 4)), Lane.F32);
    Value whole = square(square(square(times(upper, 0x1p-10))));
    Value rest = emitter.convert(rotated(1, emitter.and(n, integer(15))), Lane.F32);
    return new Power(whole, rest);
  }

  /** 2^count for C2, of counts from 0 to 30. */
  Value smallPower(Value count) {
    return emitter.convert(rotated(1, emitter.convert(count, Lane.I32)), Lane.F32);
  }

  /** Rotations C2 makes vectors of, but no shifts. */
  private Value rotated(int number, Value by) {
    return emitter.call(Integer.class, "rotateLeft", Lane.I32, integer(number), by);
  }

  // ---- arguments out of reach

  /** The result, where |x| is not below the limit replaced by that of a {@link RareScalars}. */
  Value largeByElement(Value result, Value a, double limit, String method, Value... operands) {
    Value isLarge = emitter.compare(Relation.GE, a, number(limit));
    return emitter.replaced(result, isLarge, RareScalars.class, method, operands);
  }

  /** ln 2, of few enough bits that its multiples are exact. */
  double ln2High() {
    return pick(0x1.62e4p-1, LN2_HIGH_F64);
  }

  double ln2Low() {
    return pick(0x1.7f7d1cp-20, LN2_LOW_F64);
  }

  private static final double LN2_HIGH_F64 = 0x1.62e42fefa38p-1;
  private static final double LN2_LOW_F64 = 0x1.ef35793c7673p-45;

  /** x = count ln 2 + rest, |rest| at most ln 2 / 2; the offset is added to the bits alone. */
  Reduced byLn2(Value x, int offset) {
    return byLn2(x, x, offset);
  }

  /**
   * The same where x is at most a limit. Where it is more, the rest is positive, and more by as
   * much if that is cheaper; of NaN it is NaN.
   */
  Reduced byLn2UpTo(double limit, Value x, int offset) {
    if (emitter.canCall() || isDouble) {
      return byLn2(atMost(x, limit), offset);
    }
    Value bits = emitter.min(emitter.reinterpret(x), integer(Float.floatToIntBits((float) limit)));
    return byLn2(x, emitter.reinterpret(bits), offset);
  }

  private Reduced byLn2(Value x, Value counted, int offset) {
    double rounder = rounder(offset);
    Value shifted = fma(counted, pick((float) LOG2_E, LOG2_E), rounder);
    Value count = emitter.subtract(shifted, number(rounder));
    Value high = fma(count, -ln2High(), x);
    Value rest = fma(count, -ln2Low(), high);
    return new Reduced(count, emitter.reinterpret(shifted), high, rest);
  }
}
