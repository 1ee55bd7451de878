package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.math.Floats.Reduced;

/**
 * Generated code for sinh and cosh. With |x| = k ln 2 + r, D = 2^k - 2^-k and S = 2^k + 2^-k: 2
 * sinh |x| = D cosh(r) + S sinh(r), 2 cosh |x| = S cosh(r) + D sinh(r). All values are divided by
 * four, since S may overflow.
 */
final class Hyperbolics {
  /** Coefficients in r^2 of (sinh(r) - r) / r^3. */
  private static final double[] SINH_F32 = {0x1.555556p-3, 0x1.1110b2p-7, 0x1.a16f8cp-13};

  private static final double[] SINH_F64 = {
    0x1.5555555555555p-3, 0x1.1111111111113p-7, 0x1.a01a01a018838p-13,
    0x1.71de3a5eadb18p-19, 0x1.ae641c7e95a5cp-26, 0x1.61d723eee06f2p-33
  };

  /** Coefficients in r^2 of (cosh(r) - 1) / r^2. */
  private static final double[] COSH_F32 = {0.5, 0x1.5554e6p-5, 0x1.6d4eeap-10};

  private static final double[] COSH_F64 = {
    0.5,
    0x1.5555555555558p-5,
    0x1.6c16c16c1504cp-10,
    0x1.a01a01ad63b73p-16,
    0x1.27e4cc4e480c6p-22,
    0x1.1f8b7b44b561bp-29
  };

  private final Floats floats;
  private final CodeEmitter emitter;
  private final Reduced reduced;
  private final Value scale;
  private final Value inverse;
  private final Value difference;
  private final Value sum;

  Hyperbolics(Floats floats, Value x) {
    this.floats = floats;
    this.emitter = floats.emitter;
    int quarter = floats.bias() - 2;
    this.reduced =
        floats.reduceByLn2(floats.atMost(emitter.abs(x), floats.pick(89.6, 710.5)), quarter);
    this.scale = floats.powerOfTwo(reduced.bits());
    Value opposite = floats.integer(floats.rounderBits(quarter) + quarter);
    Value exponent = emitter.max(emitter.subtract(opposite, reduced.bits()), floats.integer(0));
    this.inverse = floats.powerOfTwo(exponent);
    this.difference = emitter.subtract(scale, inverse);
    this.sum = emitter.add(scale, inverse);
  }

  /** Computes cosh(r) - 1. */
  private Value cosine(Value square) {
    return emitter.multiply(square, floats.polynomial(square, floats.pick(COSH_F32, COSH_F64)));
  }

  /** Computes sinh(r) - r. */
  private Value sine(Value square) {
    Value p = floats.polynomial(square, floats.pick(SINH_F32, SINH_F64));
    return emitter.multiply(emitter.multiply(reduced.rest(), square), p);
  }

  Value sinh(Value x) {
    Value magnitude = sum(sum, difference, emitter.negate(inverse));
    return new Exponentials(floats).small(x, emitter.withSign(magnitude, x));
  }

  Value cosh() {
    return sum(difference, sum, inverse);
  }

  /**
   * Computes 2 (a sinh(r) + b cosh(r)), where b is the rounded sum of 2^k and {@code added}. a high
   * + b is rounded once; all other terms are small in comparison.
   */
  private Value sum(Value a, Value b, Value added) {
    Value square = floats.square(reduced.rest());
    Value low = floats.fma(reduced.count(), -floats.ln2Low(), sine(square));
    Value roundingError = floats.orderedSumLow(scale, added, b);
    Value correction = emitter.fma(b, cosine(square), emitter.fma(a, low, roundingError));
    Value half = emitter.add(emitter.fma(a, reduced.high(), b), correction);
    return emitter.add(half, half);
  }
}
