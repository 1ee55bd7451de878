package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;

/** Generated code for erf: x + x p(x^2) where x is small, otherwise 1 - e^-q(x). */
final class ErrorFunction {
  private static final double LIMIT = 0.9;

  private static final double[] SMALL_F32 = {
    0x1.06eba6p-3, -0x1.8126ecp-2, 0x1.ce1b86p-4, -0x1.b69b96p-6, 0x1.479c9ep-8, -0x1.3ba9cep-11
  };

  private static final double[] SMALL_F64 = {
    0x1.06eba8214db69p-3, -0x1.812746b0379e2p-2, 0x1.ce2f21a0427e1p-4, -0x1.b82ce31271dd4p-6,
    0x1.565bcd0a31be6p-8, -0x1.c02db3140c585p-11, 0x1.f9a30627eb7bap-14, -0x1.f4cf59381ae8cp-17,
    0x1.b9b75e715be89p-20, -0x1.5d835ffabe8ccp-23, 0x1.e29e543771246p-27, -0x1.d24b65019bbcbp-31
  };

  /** Coefficients in x of -log(1 - erf(x)). */
  private static final double[] LARGE_F32 = {
    0x1.743d88p-13,
    0x1.20b432p+0,
    0x1.462cb2p-1,
    0x1.aa2312p-4,
    -0x1.6cfcd6p-6,
    0x1.90811ap-9,
    -0x1.9d8518p-13
  };

  private static final double[] LARGE_F64 = {
    -0x1.904b13ca2a8aap-29, 0x1.20dd7624caa9ep+0, 0x1.45f2f34ca9962p-1, 0x1.a4f7e4224e16fp-4,
    -0x1.398dcaebc8726p-6, -0x1.8879b8d7a1290p-13, 0x1.b259c7b7c612bp-10, -0x1.18c08d5308cf4p-11,
    -0x1.21f19b9461b20p-15, 0x1.f026cbe6dc454p-14, -0x1.1ed111a7753f7p-14, 0x1.aefd66d8bc21ap-16,
    -0x1.e4d0da5b7e5b9p-18, 0x1.a7ea47f5b94e1p-20, -0x1.2162c053b2c6ep-22, 0x1.30061b202aeb3p-25,
    -0x1.dbd2348ef9437p-29, 0x1.056f7bc500db8p-32, -0x1.67fafbcd955eap-37, 0x1.d32be6961716bp-43
  };

  private final Floats floats;
  private final CodeEmitter emitter;

  ErrorFunction(Floats floats) {
    this.floats = floats;
    this.emitter = floats.emitter;
  }

  Value erf(Value x) {
    Value a = floats.atMost(emitter.abs(x), floats.pick(3.93, 5.95));
    Value p = floats.polynomial(floats.square(a), floats.pick(SMALL_F32, SMALL_F64));
    Value small = emitter.fma(a, p, a);
    Value q = floats.polynomial(a, floats.pick(LARGE_F32, LARGE_F64));
    Value large = new Exponentials(floats).oneMinusExp(q);
    return emitter.withSign(emitter.select(floats.isBelow(a, LIMIT), small, large), x);
  }
}
