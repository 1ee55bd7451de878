package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.math.Floats.Reduced;

/**
 * Generated code for e^x and functions derived from it. With x = k ln 2 + r, e^x = 2^k (1 + (e^r -
 * 1)).
 */
final class Exponentials {
  /** Coefficients in r of (e^r - 1 - r) / r^2. */
  private static final double[] EXP_F32 = {
    0x1.fffffcp-2, 0x1.55548cp-3, 0x1.555858p-5, 0x1.123dep-7, 0x1.6ac6fap-10
  };

  private static final double[] EXP_F64 = {
    0x1.0000000000009p-1, 0x1.5555555555558p-3, 0x1.55555555503e3p-5, 0x1.111111110f803p-7,
    0x1.6c16c18601e8cp-10, 0x1.a01a01b00c2c6p-13, 0x1.a01993b37a9cap-16, 0x1.71ddf6b3f10d1p-19,
    0x1.28b410d73d492p-22, 0x1.af632ad6abee8p-26
  };

  /** Coefficients in x^2 of (tanh(x) - x) / x^3, for x up to {@link #TANH_LIMIT}. */
  private static final double[] TANH_F32 = {
    -0x1.555532p-2, 0x1.1106f6p-3, -0x1.b835a4p-5, 0x1.51f8ccp-6, -0x1.750ccap-8
  };

  private static final double[] TANH_F64 = {
    -0x1.55555555554ffp-2, 0x1.111111110acd0p-3, -0x1.ba1ba1b50665cp-5, 0x1.664f477adee1dp-6,
    -0x1.226e162c523a5p-7, 0x1.d6cf2818575f2p-9, -0x1.7d68a381634a2p-10, 0x1.3366149ec816dp-11,
    -0x1.df558533b7d1ap-13, 0x1.439136c6d2ccap-14, -0x1.0da749cc548f0p-16
  };

  private static final double TANH_LIMIT = 0.625;

  /** A number whose tanh is 1 in f32. */
  private static final double TANH_ONE = 9.5;

  /** The logistic function scales all values by 2^-64, so that e^-x overflows late enough. */
  private static final int SCALE = 64;

  private final Floats floats;
  private final CodeEmitter emitter;

  Exponentials(Floats floats) {
    this.floats = floats;
    this.emitter = floats.emitter;
  }

  /** Computes e^r - 1 - r. */
  private Value tail(Value r) {
    Value q = floats.polynomial(r, floats.pick(EXP_F32, EXP_F64));
    return emitter.multiply(floats.square(r), q);
  }

  /** Computes e^r - 1. */
  private Value minusOne(Value r) {
    Value q = floats.polynomial(r, floats.pick(EXP_F32, EXP_F64));
    return emitter.fma(floats.square(r), q, r);
  }

  Value exp(Value x) {
    if (emitter.isAtMostZero(x) && !floats.isForAutoVectorization()) {
      return expOfAtMostZero(x);
    }
    Reduced reduced = reduced(x);
    return scaled(minusOne(reduced.rest()), reduced);
  }

  /**
   * Computes e^x for x at most 0, which cannot overflow. All values are scaled up, so that a
   * denormal result is rounded once.
   */
  private Value expOfAtMostZero(Value x) {
    int up = (int) floats.pick(64L, 512L);
    Value bounded = floats.atLeast(x, floats.pick(-104.0, -746.0));
    Reduced reduced = floats.reduceByLn2(bounded, floats.bias() + up);
    Value scale = floats.powerOfTwo(reduced.bits());
    Value e = emitter.fma(minusOne(reduced.rest()), scale, scale);
    return floats.times(e, Math.scalb(1.0, -up));
  }

  /** Computes e^(x + low). */
  Value exp(Value x, Value low) {
    Reduced reduced = reduced(x);
    Value rest = floats.fma(reduced.count(), -floats.ln2Low(), low);
    return scaled(minusOne(emitter.add(reduced.high(), rest)), reduced);
  }

  private Reduced reduced(Value x) {
    Value bounded = floats.atLeast(x, floats.pick(-104.0, -746.0));
    return floats.reduceByLn2UpTo(floats.pick(89.0, 710.0), bounded, 2 * floats.bias());
  }

  /** Multiplies by 2^k in two steps, so that the result is rounded once even if it is denormal. */
  private Value scaled(Value minusOne, Reduced reduced) {
    if (floats.isForAutoVectorization()) {
      Floats.Power power = floats.power(reduced.count());
      Value e = emitter.multiply(floats.add(minusOne, 1), power.eighth());
      return emitter.multiply(e, emitter.multiply(power.rest(), power.eighth()));
    }
    Value bits = reduced.bits();
    Value half = emitter.shiftRightLogical(bits, 1);
    Value scale = floats.powerOfTwo(half);
    Value e = emitter.fma(minusOne, scale, scale);
    return emitter.multiply(e, floats.powerOfTwo(emitter.subtract(bits, half)));
  }

  /**
   * Computes e^x - 1. The high part 2^k (r - kLow) + (2^k - 1) is nearly exact. All values are
   * halved, since 2^k may overflow.
   */
  Value expm1(Value x) {
    Value bounded = floats.atLeast(x, floats.pick(-30.0, -50.0));
    double limit = floats.pick(89.0, 710.0);
    Reduced reduced = floats.reduceByLn2UpTo(limit, bounded, floats.bias() - 1);
    Value scale = floats.powerOfTwo(reduced.bits());
    Value low = floats.fma(reduced.count(), -floats.ln2Low(), tail(reduced.rest()));
    Value high = emitter.fma(scale, reduced.high(), floats.add(scale, -0.5));
    Value half = emitter.fma(scale, low, high);
    return small(x, emitter.add(half, half));
  }

  /** Returns x itself where f(x) = x + O(x^2) rounds to it. */
  Value small(Value x, Value otherwise) {
    Value isSmall = floats.isBelow(emitter.abs(x), floats.pick(0x1p-25, 0x1p-54));
    return emitter.select(isSmall, x, otherwise);
  }

  /** Computes tanh(x) as x + x^3 p(x^2), or 1 - 2 / (1 + e^2x). */
  Value tanh(Value x) {
    Value a =
        floats.isForAutoVectorization() ? floats.atMost(emitter.abs(x), TANH_ONE) : emitter.abs(x);
    Reduced reduced =
        floats.reduceByLn2UpTo(floats.pick(2 * TANH_ONE, 40), emitter.add(a, a), floats.bias());
    Value scale =
        floats.isForAutoVectorization()
            ? floats.smallPower(reduced.count())
            : floats.powerOfTwo(reduced.bits());
    Value divisor = emitter.fma(scale, minusOne(reduced.rest()), floats.add(scale, 1));
    Value large = emitter.subtract(floats.number(1), emitter.divide(floats.number(2), divisor));
    Value square = floats.square(a);
    Value p = floats.polynomial(square, floats.pick(TANH_F32, TANH_F64));
    Value small = emitter.fma(emitter.multiply(a, square), p, a);
    return floats.copySignOfFinite(floats.selectBelow(a, TANH_LIMIT, small, large), x);
  }

  /** Computes 1 / (1 + e^-x), corrected by the rounding error of the divisor. */
  Value logistic(Value x) {
    Value bounded =
        floats.atLeast(floats.atMost(x, floats.pick(20.0, 40.0)), floats.pick(-104.0, -746.0));
    Reduced reduced = floats.reduceByLn2(emitter.negate(bounded), floats.bias() - SCALE);
    Value scale = floats.powerOfTwo(reduced.bits());
    Value one = floats.number(Math.scalb(1.0, -SCALE));
    Value sum = emitter.add(scale, one);
    Value sumLow = emitter.add(emitter.subtract(scale, sum), one);
    Value rest = emitter.fma(scale, minusOne(reduced.rest()), sumLow);
    Value divisor = emitter.add(sum, rest);
    Value divisorLow = floats.orderedSumLow(sum, rest, divisor);
    Value q = emitter.divide(one, divisor);
    Value error = emitter.multiply(floats.times(divisorLow, -Math.scalb(1.0, SCALE)), q);
    return emitter.fma(error, q, q);
  }

  /** Computes 1 - e^-y, for y from 1/2 up to where the result rounds to 1. */
  Value oneMinusExp(Value y) {
    Reduced reduced = floats.reduceByLn2(emitter.negate(y), floats.bias());
    Value scale = floats.powerOfTwo(reduced.bits());
    Value rest = emitter.subtract(floats.number(1), scale);
    return emitter.subtract(rest, emitter.multiply(scale, minusOne(reduced.rest())));
  }
}
