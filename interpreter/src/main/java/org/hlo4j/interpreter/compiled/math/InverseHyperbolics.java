package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.Value;

/** Generated code for asinh, acosh and atanh: polynomials near 0, otherwise logarithms. */
final class InverseHyperbolics {
  /** Coefficients in x^2 of (asinh(x) - x) / x^3, for x up to {@link #ASINH_LIMIT}. */
  private static final double[] ASINH_F32 = {
    -0x1.55555p-3, 0x1.33308ep-4, -0x1.6d4142p-5, 0x1.e83a16p-6, -0x1.3a974cp-6, 0x1.0a0b88p-7
  };

  private static final double[] ASINH_F64 = {
    -0x1.555555555554bp-3, 0x1.3333333331d74p-4, -0x1.6db6db6cba62ep-5, 0x1.f1c71c15518e2p-6,
    -0x1.6e8b98e4ff1b8p-6, 0x1.1c4e11c4f89b1p-6, -0x1.c98896cbc55abp-7, 0x1.79f6a97baf194p-7,
    -0x1.3c6f7381a471cp-7, 0x1.0404dae19156bp-7, -0x1.82cf3b12f55b6p-8, 0x1.b93e2e8ece107p-9,
    -0x1.1017dac8d6435p-10
  };

  private static final double ASINH_LIMIT = 0.55;

  /** Coefficients in x^2 of (atanh(x) - x) / x^3, for x up to {@link #ATANH_LIMIT}. */
  private static final double[] ATANH_F32 = {
    0x1.55554p-2, 0x1.99a6cep-3, 0x1.23483cp-3, 0x1.e44cc6p-4, 0x1.a4ba38p-5, 0x1.69dd02p-3
  };

  private static final double[] ATANH_F64 = {
    0x1.555555555554cp-2, 0x1.999999999b31bp-3, 0x1.24924923ca2c2p-3, 0x1.c71c722a290c9p-4,
    0x1.745d08c4b238cp-4, 0x1.3b1510341ea5dp-4, 0x1.10fa84c4079dep-4, 0x1.e3e977f84b398p-5,
    0x1.9e87f53ddfab6p-5, 0x1.e70be4528fb41p-5, -0x1.443299f2aeaf5p-8, 0x1.6476ac5239d6fp-3,
    -0x1.8f3896282f86dp-3, 0x1.ec61487a04656p-3
  };

  private static final double ATANH_LIMIT = 0.5;

  private final Floats floats;
  private final CodeEmitter emitter;
  private final Logarithms logarithms;

  InverseHyperbolics(Floats floats) {
    this.floats = floats;
    this.emitter = floats.emitter;
    this.logarithms = new Logarithms(floats);
  }

  private Value keepNonFinite(Value x, Value result) {
    return emitter.select(floats.isBelow(x, Double.POSITIVE_INFINITY), result, x);
  }

  /**
   * Computes log(1 + high + low + lowest), or log(2 x) where x is so large that its square may be
   * infinite.
   */
  private Value logOfSum(Value x, Value high, Value low, Value lowest) {
    Value isHuge = emitter.compare(Relation.GT, x, floats.number(0x1p26, 0x1p56));
    Value sum = emitter.add(high, low);
    Value u = emitter.select(isHuge, x, sum);
    Value zero = floats.number(0);
    Value roundingError = emitter.add(floats.orderedSumLow(high, low, sum), lowest);
    Value rest = emitter.select(isHuge, zero, roundingError);
    return logarithms.log1p(u, rest, x, 1);
  }

  /** Computes asinh as log(1 + a + a^2 / (1 + sqrt(1 + a^2))), or log(2 a). */
  Value asinh(Value x) {
    Value a = emitter.abs(x);
    Value square = floats.square(a);
    Value p = floats.polynomial(square, floats.pick(ASINH_F32, ASINH_F64));
    Value small = emitter.fma(emitter.multiply(a, square), p, a);
    Value root = emitter.sqrt(floats.add(square, 1));
    Value b = emitter.divide(square, floats.add(root, 1));
    Value large = logOfSum(a, a, b, floats.number(0));
    Value magnitude = emitter.select(floats.isBelow(a, ASINH_LIMIT), small, large);
    return emitter.withSign(keepNonFinite(a, magnitude), x);
  }

  /** Computes acosh, with t = x - 1, as log(1 + t + sqrt(t^2 + 2 t)), or log(2 x). */
  Value acosh(Value x) {
    Value t = floats.add(x, -1);
    Value twice = emitter.add(t, t);
    Value square = emitter.fma(t, t, twice);
    Value root = emitter.sqrt(square);
    Value squareLow = emitter.fma(t, t, emitter.subtract(twice, square));
    Value result = keepNonFinite(x, logOfSum(x, root, t, rootLow(square, squareLow, root)));
    Value isOutside = floats.isBelow(x, 1);
    return emitter.select(isOutside, floats.number(Double.NaN), result);
  }

  /**
   * Returns the rounding error of a square root, given the low part of the square; 0 if the root is
   * 0.
   */
  private Value rootLow(Value square, Value squareLow, Value root) {
    Value roundingError = emitter.add(emitter.fma(emitter.negate(root), root, square), squareLow);
    Value low = emitter.divide(roundingError, emitter.add(root, root));
    Value isZero = emitter.compare(Relation.EQ, root, floats.number(0));
    return emitter.select(isZero, floats.number(0), low);
  }

  /** Computes atanh as log(1 + 2 a / (1 - a)) / 2. */
  Value atanh(Value x) {
    Value a = emitter.abs(x);
    Value square = floats.square(a);
    Value p = floats.polynomial(square, floats.pick(ATANH_F32, ATANH_F64));
    Value small = emitter.fma(emitter.multiply(a, square), p, a);
    Value q = emitter.divide(emitter.add(a, a), emitter.subtract(floats.number(1), a));
    Value large = floats.times(logarithms.log1p(q, floats.number(0), q, 0), 0.5);
    Value inside = emitter.select(floats.isBelow(a, ATANH_LIMIT), small, large);
    Value isOne = emitter.compare(Relation.EQ, a, floats.number(1));
    Value infinite = floats.number(Double.POSITIVE_INFINITY);
    Value outside = emitter.select(isOne, infinite, floats.number(Double.NaN));
    return emitter.withSign(emitter.select(floats.isBelow(a, 1), inside, outside), x);
  }
}
