package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * Generated code for logarithms: log x = k ln 2 + log(1 + f), where x = 2^k (1 + f) and {@code
 * sqrt(1/2) <= 1 + f < sqrt(2)}.
 */
final class Logarithms {
  /** Coefficients in f of (log(1 + f) - f + f^2 / 2) / f^3. */
  private static final double[] LOG_F32 = {
    0x1.555554p-2, -0x1.000228p-2, 0x1.99a008p-3, -0x1.5471fp-3,
    0x1.22d9eap-3, -0x1.0d8892p-3, 0x1.055e7ep-3, -0x1.38aa88p-4
  };

  private static final double[] LOG_F64 = {
    0x1.555555555556bp-2, -0x1.ffffffffffe78p-3, 0x1.9999999994d76p-3, -0x1.555555556b45fp-3,
    0x1.249249275ffa9p-3, -0x1.fffffff38d476p-4, 0x1.c71c702cbacbbp-4, -0x1.99999aa426dc1p-4,
    0x1.745d5904ce43dp-4, -0x1.555576862317ep-4, 0x1.3b0d745cddc8cp-4, -0x1.24894b9797147p-4,
    0x1.116a3880628e9p-4, -0x1.00cfd65a5a1f1p-4, 0x1.dc94b528cd194p-5, -0x1.b459f9df5dac6p-5,
    0x1.bbb6228dc0d53p-5, -0x1.0110686b156e9p-4, 0x1.d2ac43f538e26p-5, -0x1.8d9a94d5da23bp-6
  };

  private static final double INFINITE = Double.POSITIVE_INFINITY;

  private final Floats floats;
  private final CodeEmitter emitter;

  Logarithms(Floats floats) {
    this.floats = floats;
    this.emitter = floats.emitter;
  }

  /** A positive normal number decomposed as 2^k (1 + f), and k + bias as an integer. */
  record Parts(Value biased, Value k, Value f) {}

  /** Returns the bits of sqrt(1/2), less the exponent of 1/2. */
  private long offset() {
    return floats.pick(0x3504f3L, 0x6a09e667f3bcdL);
  }

  Parts parts(Value x) {
    Value shifted = emitter.subtract(emitter.reinterpret(x), floats.integer(offset()));
    Value biased = floats.exponent(shifted);
    long half = floats.pick(0x3f3504f3L, 0x3fe6a09e667f3bcdL);
    Value m = emitter.add(floats.mantissa(shifted), floats.integer(half));
    Value f = floats.add(emitter.reinterpret(m), -1);
    return new Parts(biased, floats.fromSmall(biased, floats.bias() - 1), f);
  }

  /** Computes k ln 2 + f + bend. */
  private Value log(Value k, Value f, Value correction) {
    return floats.fma(k, floats.ln2High(), emitter.add(f, correction));
  }

  /** Computes log(1 + f) - f, plus the low part of k ln 2. */
  private Value correction(Value k, Value f) {
    Value p = floats.polynomial(f, floats.pick(LOG_F32, LOG_F64));
    Value correction = emitter.multiply(floats.square(f), floats.fma(f, p, -0.5));
    return floats.fma(k, floats.ln2Low(), correction);
  }

  /** Decomposes a positive number. Denormals are scaled up first, and bits are those then. */
  Parts partsOfAny(Value x) {
    double scale = floats.pick(0x1p24, 0x1p54);
    Value isTiny = floats.isTiny(x);
    Parts parts = parts(emitter.select(isTiny, floats.times(x, scale), x));
    Value less = floats.add(parts.k(), -Math.getExponent(scale));
    return new Parts(parts.biased(), emitter.select(isTiny, less, parts.k()), parts.f());
  }

  Value log(Value x) {
    Parts parts = partsOfAny(x);
    Value result = log(parts.k(), parts.f(), correction(parts.k(), parts.f()));
    return withSpecialCases(result, x, 0);
  }

  /** Returns a logarithm with its special cases: NaN below the pole, -inf at it, and inf at inf. */
  private Value withSpecialCases(Value result, Value x, double pole) {
    Value isFinite = floats.isBelow(x, INFINITE);
    Value isAbove = emitter.compare(Relation.GT, x, floats.number(pole));
    Value isPole = emitter.compare(Relation.EQ, x, floats.number(pole));
    Value outside = emitter.select(isPole, floats.number(-INFINITE), floats.number(Double.NaN));
    return emitter.select(isAbove, emitter.select(isFinite, result, x), outside);
  }

  Value log1p(Value x) {
    Value result = log1p(x, floats.number(0), x, 0);
    Value isZero = emitter.compare(Relation.EQ, x, floats.number(0));
    return emitter.select(isZero, x, withSpecialCases(result, x, -1));
  }

  /**
   * Computes log(1 + x + low). 1 + x = 2^k (1 + f) gives k; f = 2^-k x + (2^-k - 1). Where x is so
   * large that the 1 is lost, the result is log(large) + more * ln 2.
   */
  Value log1p(Value x, Value low, Value large, int more) {
    Value isLarge = emitter.compare(Relation.GT, x, floats.number(0x1p25, 0x1p54));
    Parts parts = parts(emitter.select(isLarge, large, floats.add(x, 1)));
    Value biases = floats.integer(2 * floats.bias() - 1);
    Value inverse = floats.powerOfTwo(emitter.subtract(biases, parts.biased()));
    Value scaled = emitter.multiply(x, inverse);
    Value less = floats.add(inverse, -1);
    Value exact = emitter.add(scaled, less);
    Value roundingError = emitter.fma(low, inverse, floats.sumLow(scaled, less, exact));
    Value f = emitter.select(isLarge, parts.f(), exact);
    Value slope = emitter.subtract(floats.number(1), f);
    Value change =
        emitter.select(isLarge, floats.number(0), emitter.multiply(roundingError, slope));
    Value k =
        more == 0 ? parts.k() : emitter.select(isLarge, floats.add(parts.k(), more), parts.k());
    return log(k, f, emitter.add(correction(k, f), change));
  }
}
