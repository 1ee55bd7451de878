package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * Generated code for roots and powers. A value whose name ends in Low holds the rounding error of
 * another value.
 */
final class Powers {
  /** Coefficients in m of m^(-1/3), for m from 1 to 2, accurate to 14 bits. */
  private static final double[] ROOT = {
    0x1.ab8596p+0, -0x1.2c41f4p+0, 0x1.64167p-1, -0x1.c51896p-3, 0x1.d46fbap-6
  };

  /** Coefficients in s^2 of (log((1 + s) / (1 - s)) - 2 s - 2/3 s^3) / s^5. */
  private static final double[] LOG_F32 = {0x1.999ap-2, 0x1.245278p-2, 0x1.dfa34cp-3};

  private static final double[] LOG_F64 = {
    0x1.9999999999b33p-2,
    0x1.24924924577fep-2,
    0x1.c71c722de3da1p-3,
    0x1.745ce9b6a1e8dp-3,
    0x1.3b1ef466be1c5p-3,
    0x1.0f7f2031ce2abp-3,
    0x1.0e4a34aa55e33p-3
  };

  private static final double INFINITE = Double.POSITIVE_INFINITY;

  private final Floats floats;
  private final CodeEmitter emitter;

  Powers(Floats floats) {
    this.floats = floats;
    this.emitter = floats.emitter;
  }

  Value rsqrt(Value x) {
    return emitter.divide(floats.number(1), emitter.sqrt(x));
  }

  /** A number and its rounding error. */
  private record Pair(Value high, Value low) {}

  /**
   * Computes the cube root. |x| = z 2^3k, with z from 1/2 to 4; the root is z y^2 2^k, where y
   * approximates z^(-1/3).
   */
  Value cbrt(Value x) {
    Value a = emitter.abs(x);
    Value isTiny = floats.isTiny(a);
    Value normal = emitter.select(isTiny, floats.times(a, floats.pick(0x1p24, 0x1p54)), a);
    Value bits = emitter.reinterpret(normal);
    Value exponent = floats.fromSmall(floats.exponent(bits), floats.bias());
    double rounder = floats.rounder(floats.bias());
    Value shifted = floats.fma(exponent, floats.pick(1f / 3, 1.0 / 3), rounder);
    Value k = emitter.subtract(shifted, floats.number(rounder));
    Value over = floats.fma(k, -3, exponent);
    Value root = root(floats.withExponentOfOne(bits), over);
    Value shrink = emitter.select(isTiny, floats.number(0x1p-8, 0x1p-18), floats.number(1));
    Value scale = emitter.multiply(floats.powerOfTwo(emitter.reinterpret(shifted)), shrink);
    Value signed = emitter.withSign(emitter.multiply(root, scale), x);
    Value isPlain = emitter.compare(Relation.GT, a, floats.number(0));
    Value isFinite = floats.isBelow(a, INFINITE);
    return emitter.select(emitter.and(isPlain, isFinite), signed, x);
  }

  /** Computes the cube root of m 2^over, where over is -1, 0 or 1. */
  private Value root(Value m, Value over) {
    Value z = emitter.multiply(m, byThird(over, 0.5, 2));
    Value start = emitter.multiply(floats.polynomial(m, ROOT), thirdRoots(over));
    Value y = closer(z, start);
    y = floats.isDouble() ? closer(z, y) : y;
    Value slope = floats.square(y);
    Value c = emitter.multiply(z, slope);
    Value square = floats.square(c);
    Value squareLow = floats.productLow(c, c, square);
    Value rest = emitter.fma(emitter.negate(square), c, z);
    rest = emitter.fma(emitter.negate(squareLow), c, rest);
    return floats.fma(emitter.multiply(rest, slope), floats.pick(1f / 3, 1.0 / 3), c);
  }

  private Value thirdRoots(Value over) {
    double root = Math.cbrt(2);
    return byThird(
        over, floats.pick((float) root, root), floats.pick((float) (1 / root), 1 / root));
  }

  private Value byThird(Value over, double below, double above) {
    Value isAbove = emitter.compare(Relation.GT, over, floats.number(0));
    Value upper = emitter.select(isAbove, floats.number(above), floats.number(1));
    return emitter.select(floats.isBelow(over, 0), floats.number(below), upper);
  }

  /** Computes y + y (1 - z y^3) / 3, a Newton step. */
  private Value closer(Value z, Value y) {
    Value error = floats.fma(emitter.negate(emitter.multiply(z, y)), floats.square(y), 1);
    return floats.fma(emitter.multiply(y, error), floats.pick(1f / 3, 1.0 / 3), y);
  }

  /** Computes e^(y log |x|), with the sign and the special cases of C's pow. */
  Value pow(Value x, Value y) {
    Value a = emitter.abs(x);
    Value magnitude = expOfProduct(y, ends(log(a), a));
    double known = emitter.constantValue(y).map(Number::doubleValue).orElse(Double.NaN);
    if (Double.isFinite(known) && known != 0) {
      return ofKnownPower(x, known, magnitude);
    }
    Value half = floats.times(y, 0.5);
    Value isWhole = emitter.compare(Relation.EQ, emitter.rint(y), y);
    Value isOdd = emitter.and(isWhole, emitter.compare(Relation.NE, emitter.rint(half), half));
    Value isFlipped = emitter.and(isOdd, floats.hasSign(x));
    Value signed = emitter.select(isFlipped, emitter.negate(magnitude), magnitude);
    Value isUndefined = emitter.and(isNegative(x), emitter.not(isWhole));
    Value result = emitter.select(isUndefined, floats.number(Double.NaN), signed);
    return emitter.select(isOne(x, a, y), floats.number(1), result);
  }

  /**
   * Returns the power for a constant exponent that is finite and not 0, so that 1 and -1 are no
   * special cases.
   */
  private Value ofKnownPower(Value x, double power, Value magnitude) {
    if (power != Math.rint(power)) {
      return emitter.select(isNegative(x), floats.number(Double.NaN), magnitude);
    }
    boolean isEven = Math.rint(power / 2) == power / 2;
    return isEven
        ? magnitude
        : emitter.select(floats.hasSign(x), emitter.negate(magnitude), magnitude);
  }

  /** Returns whether a number is below 0 and finite. */
  private Value isNegative(Value x) {
    return emitter.and(
        floats.isBelow(x, 0), emitter.compare(Relation.GT, x, floats.number(-INFINITE)));
  }

  /**
   * Returns whether the power is 1: 1 to any power, any number to the power 0, -1 to an infinite
   * power.
   */
  private Value isOne(Value x, Value a, Value y) {
    Value one = floats.number(1);
    Value isZeroth = emitter.compare(Relation.EQ, y, floats.number(0));
    Value isInfinite = emitter.compare(Relation.EQ, emitter.abs(y), floats.number(INFINITE));
    Value ofMinusOne = emitter.and(emitter.compare(Relation.EQ, a, one), isInfinite);
    return emitter.or(emitter.or(emitter.compare(Relation.EQ, x, one), isZeroth), ofMinusOne);
  }

  private Pair ends(Pair log, Value a) {
    Value isZero = emitter.compare(Relation.EQ, a, floats.number(0));
    Value finite = emitter.select(floats.isBelow(a, INFINITE), log.high(), a);
    return new Pair(emitter.select(isZero, floats.number(-INFINITE), finite), log.low());
  }

  /**
   * Computes log(a) = k ln 2 + 2 s + s^3 (2/3 + ...), with s = f / (2 + f), to more bits than a
   * number has.
   */
  private Pair log(Value a) {
    Logarithms.Parts parts = new Logarithms(floats).partsOfAny(a);
    Value k = parts.k();
    Pair s = ratio(parts.f());
    Pair cube = cube(s);
    Value square = floats.square(s.high());
    Value q = floats.polynomial(square, floats.pick(LOG_F32, LOG_F64));
    Value tail = emitter.multiply(emitter.multiply(square, emitter.multiply(s.high(), square)), q);
    Value rest = floats.fma(k, floats.ln2Low(), emitter.add(tail, cube.low()));
    rest = floats.fma(s.low(), 2, rest);
    Pair linear = sum(floats.times(k, floats.ln2High()), emitter.add(s.high(), s.high()));
    Pair both = sum(linear.high(), cube.high());
    return sum(both.high(), emitter.add(emitter.add(linear.low(), both.low()), rest));
  }

  private Pair sum(Value a, Value b) {
    Value sum = emitter.add(a, b);
    return new Pair(sum, floats.orderedSumLow(a, b, sum));
  }

  private Pair product(Value a, Value b) {
    Value product = emitter.multiply(a, b);
    return new Pair(product, floats.productLow(a, b, product));
  }

  /** Computes f / (2 + f). */
  private Pair ratio(Value f) {
    Pair divisor = sum(floats.number(2), f);
    Value inverse = emitter.divide(floats.number(1), divisor.high());
    Value s = emitter.multiply(f, inverse);
    Value rest = emitter.fma(emitter.negate(s), divisor.high(), f);
    rest = emitter.fma(emitter.negate(s), divisor.low(), rest);
    return new Pair(s, emitter.multiply(rest, inverse));
  }

  /** Computes 2/3 s^3. */
  private Pair cube(Pair s) {
    Pair square = product(s.high(), s.high());
    Value squareLow = floats.fma(emitter.multiply(s.high(), s.low()), 2, square.low());
    Pair cube = product(square.high(), s.high());
    Value cubeLow = emitter.fma(squareLow, s.high(), cube.low());
    cubeLow = emitter.fma(square.high(), s.low(), cubeLow);
    double twoThirds = floats.pick((float) (2.0 / 3), 2.0 / 3);
    double twoThirdsLow = floats.pick(2.0 / 3 - (float) (2.0 / 3), 0x1.5555555555555p-55);
    Pair result = product(cube.high(), floats.number(twoThirds));
    Value low = floats.fma(cube.high(), twoThirdsLow, result.low());
    return new Pair(result.high(), floats.fma(cubeLow, twoThirds, low));
  }

  /** Computes e^(y (log + logLow)). */
  private Value expOfProduct(Value y, Pair log) {
    Pair product = product(y, log.high());
    Value low = emitter.fma(y, log.low(), product.low());
    double limit = floats.pick(200.0, 2000.0);
    Value isPlain = floats.isBelow(emitter.abs(product.high()), limit);
    return new Exponentials(floats)
        .exp(product.high(), emitter.select(isPlain, low, floats.number(0)));
  }
}
