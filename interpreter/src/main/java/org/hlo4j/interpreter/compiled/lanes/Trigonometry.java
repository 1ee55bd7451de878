package org.hlo4j.interpreter.compiled.lanes;

/**
 * Sine and cosine. x = k pi/2 + r, |r| at most pi/4; arguments too large for that go through the
 * scalar function.
 */
final class Trigonometry {
  /** (sin(r) - r) / r^3, in r^2. */
  private static final double[] SIN_F32 = {
    -0x1.555556p-3, 0x1.11117p-7, -0x1.a053f2p-13, 0x1.7a86b2p-19
  };

  private static final double[] SIN_F64 = {
    -0x1.5555555555555p-3, 0x1.111111111110ap-7, -0x1.a01a01a018826p-13, 0x1.71de3a5301091p-19,
    -0x1.ae64524f42308p-26, 0x1.6120646bf6df6p-33, -0x1.aa8e6b68465b3p-41
  };

  /** (cos(r) - 1 + r^2 / 2) / r^4, in r^2. */
  private static final double[] COS_F32 = {0x1.555548p-5, -0x1.6c0af4p-10, 0x1.999116p-16};

  private static final double[] COS_F64 = {
    0x1.5555555555549p-5, -0x1.6c16c16c14c8ap-10, 0x1.a01a019c37465p-16,
    -0x1.27e4f7b23a5e2p-22, 0x1.1ee9b0b79af98p-29, -0x1.8f9025bf471f1p-37
  };

  /** pi/2 in three parts. */
  private static final double[] HALF_PI_F32 = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};

  private static final double[] HALF_PI_F64 = {
    0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110
  };

  private static final double TWO_OVER_PI = 0x1.45f306dc9c883p-1;

  private final Floats floats;
  private final Lanes lanes;

  Trigonometry(Floats floats) {
    this.floats = floats;
    this.lanes = floats.lanes;
  }

  private record Reduced(Value bits, Value r) {}

  /** k pi/2 is taken off by parts, the first time exactly. */
  private Reduced reduced(Value a) {
    double rounder = floats.rounder(0);
    Value shifted = floats.fma(a, floats.pick((float) TWO_OVER_PI, TWO_OVER_PI), rounder);
    Value k = lanes.subtract(shifted, floats.number(rounder));
    Value rest = a;
    for (double part : floats.pick(HALF_PI_F32, HALF_PI_F64)) {
      rest = floats.fma(k, -part, rest);
    }
    return new Reduced(lanes.reinterpret(shifted), rest);
  }

  private Value sinOf(Value r, Value square) {
    Value p = floats.polynomial(square, floats.pick(SIN_F32, SIN_F64));
    return lanes.fma(lanes.multiply(r, square), p, r);
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
    Value a = lanes.abs(x);
    Reduced reduced = reduced(a);
    Value square = floats.square(reduced.r());
    Value k = shift == 0 ? reduced.bits() : lanes.add(reduced.bits(), floats.integer(shift));
    Value isOdd = floats.isOdd(k);
    Value magnitude = lanes.select(isOdd, cosOf(square), sinOf(reduced.r(), square));
    Value sign = floats.bitToSign(k, 1);
    Value signed =
        floats.negatedBy(magnitude, shift == 0 ? lanes.xor(sign, lanes.reinterpret(x)) : sign);
    return floats.largeByElement(signed, a, floats.pick(0x1p17, 0x1p40), method, x);
  }
}
