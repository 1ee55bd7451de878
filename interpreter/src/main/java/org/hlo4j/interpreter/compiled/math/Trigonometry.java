package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * Generated code for sine, cosine and tangent. x = k pi/2 + r, with |r| at most pi/4. Arguments
 * that are too large for this reduction are computed by a scalar function.
 */
final class Trigonometry {
  /** Coefficients in r^2 of (sin(r) - r) / r^3. */
  private static final double[] SIN_F32 = {
    -0x1.555556p-3, 0x1.11117p-7, -0x1.a053f2p-13, 0x1.7a86b2p-19
  };

  private static final double[] SIN_F64 = {
    -0x1.5555555555555p-3,
    0x1.111111111110ap-7,
    -0x1.a01a01a018826p-13,
    0x1.71de3a5301091p-19,
    -0x1.ae64524f42308p-26,
    0x1.6120646bf6df6p-33,
    -0x1.aa8e6b68465b3p-41
  };

  /** Coefficients in r^2 of (cos(r) - 1 + r^2 / 2) / r^4. */
  private static final double[] COS_F32 = {0x1.555548p-5, -0x1.6c0af4p-10, 0x1.999116p-16};

  private static final double[] COS_F64 = {
    0x1.5555555555549p-5, -0x1.6c16c16c14c8ap-10, 0x1.a01a019c37465p-16,
    -0x1.27e4f7b23a5e2p-22, 0x1.1ee9b0b79af98p-29, -0x1.8f9025bf471f1p-37
  };

  /** Coefficients in r^2 of (tan(r) - r) / r^3. */
  private static final double[] TAN_F32 = {
    0x1.555562p-2,
    0x1.110d02p-3,
    0x1.baf53ap-5,
    0x1.5ba3cep-6,
    0x1.689d5cp-7,
    -0x1.0f072cp-13,
    0x1.260074p-8
  };

  private static final double[] TAN_F64 = {
    0x1.5555555555561p-2, 0x1.111111111025fp-3, 0x1.ba1ba1baedebep-5, 0x1.664f48532fb5cp-6,
    0x1.226e3bc2a5673p-7, 0x1.d6d2b3705aa86p-9, 0x1.7db472e51ab2dp-10, 0x1.349f59994f112p-11,
    0x1.0063a71d1b22dp-12, 0x1.565344336edaep-14, 0x1.28c1b011e03c0p-14, -0x1.f8da83d218f4dp-16,
    0x1.b7273594fe451p-15, -0x1.b611c2f195b70p-16, 0x1.567e736af8ddcp-17
  };

  /** The number pi/2 as a sum of three parts. */
  private static final double[] HALF_PI_F32 = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};

  private static final double[] HALF_PI_F64 = {
    0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110
  };

  private static final double TWO_OVER_PI = 0x1.45f306dc9c883p-1;

  private final Floats floats;
  private final CodeEmitter emitter;

  Trigonometry(Floats floats) {
    this.floats = floats;
    this.emitter = floats.emitter;
  }

  private record Reduced(Value bits, Value r) {}

  /** Subtracts k pi/2 in three parts, the first one exactly. */
  private Reduced reduced(Value a) {
    double rounder = floats.rounder(0);
    Value shifted = floats.fma(a, floats.pick((float) TWO_OVER_PI, TWO_OVER_PI), rounder);
    Value k = emitter.subtract(shifted, floats.number(rounder));
    Value rest = a;
    for (double part : floats.pick(HALF_PI_F32, HALF_PI_F64)) {
      rest = floats.fma(k, -part, rest);
    }
    return new Reduced(emitter.reinterpret(shifted), rest);
  }

  private Value sinOf(Value r, Value square) {
    Value p = floats.polynomial(square, floats.pick(SIN_F32, SIN_F64));
    return emitter.fma(emitter.multiply(r, square), p, r);
  }

  private Value cosOf(Value square) {
    Value p = floats.polynomial(square, floats.pick(COS_F32, COS_F64));
    return floats.fma(square, floats.fma(square, p, -0.5), 1);
  }

  Value sin(Value x) {
    return quadrants(x, 0, "sin");
  }

  Value cos(Value x) {
    return quadrants(x, 1, "cos");
  }

  private Value quadrants(Value x, int shift, String method) {
    Value a = emitter.abs(x);
    Reduced reduced = reduced(a);
    Value square = floats.square(reduced.r());
    Value k = shift == 0 ? reduced.bits() : emitter.add(reduced.bits(), floats.integer(shift));
    Value isOdd = floats.isOdd(k);
    Value magnitude = emitter.select(isOdd, cosOf(square), sinOf(reduced.r(), square));
    Value sign = floats.bitToSign(k, 1);
    Value signed =
        floats.negatedBy(magnitude, shift == 0 ? emitter.xor(sign, emitter.reinterpret(x)) : sign);
    return floats.withSlowPath(signed, a, floats.pick(0x1p17, 0x1p40), method, x);
  }

  /**
   * Computes tan(x). r + low is exactly what remains of a: tan(r + low) = r + (tan(r) - r) + low (1
   * + tan(r)^2).
   */
  Value tan(Value x) {
    Value a = emitter.abs(x);
    double rounder = floats.rounder(0);
    Value shifted = floats.fma(a, floats.pick((float) TWO_OVER_PI, TWO_OVER_PI), rounder);
    Value k = emitter.subtract(shifted, floats.number(rounder));
    double[] halfPi = floats.pick(HALF_PI_F32, HALF_PI_F64);
    Value first = floats.fma(k, -halfPi[0], a);
    Value second = floats.times(k, -halfPi[1]);
    Value secondLow = floats.productLow(k, floats.number(-halfPi[1]), second);
    Value r = emitter.add(first, second);
    Value low = emitter.add(floats.sumLow(first, second, r), secondLow);
    Value tangent =
        tangent(r, floats.fma(k, -halfPi[2], low), floats.isOdd(emitter.reinterpret(shifted)));
    Value signed = floats.negatedBy(tangent, emitter.reinterpret(x));
    return floats.withSlowPath(signed, a, floats.pick(0x1p17, 0x1p40), "tan", x);
  }

  /** Computes tan(r + low), or, where k is odd, -1 over it. */
  private Value tangent(Value r, Value low, Value isOdd) {
    Value square = floats.square(r);
    Value p = floats.polynomial(square, floats.pick(TAN_F32, TAN_F64));
    Value correction = emitter.multiply(emitter.multiply(r, square), p);
    Value slope = floats.fma(emitter.add(r, correction), emitter.add(r, correction), 1);
    Value rest = emitter.fma(low, slope, correction);
    Value tangent = emitter.add(r, rest);
    Value tangentLow = floats.orderedSumLow(r, rest, tangent);
    Value q = emitter.divide(floats.number(-1), tangent);
    Value error = emitter.fma(q, tangentLow, floats.fma(q, tangent, 1));
    return emitter.select(isOdd, emitter.fma(q, error, q), tangent);
  }
}
