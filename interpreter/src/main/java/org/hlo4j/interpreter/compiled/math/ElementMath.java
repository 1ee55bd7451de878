package org.hlo4j.interpreter.compiled.math;

import com.google.common.collect.ImmutableMap;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The transcendental functions of f32 and f64 in scalar and vector code, by formulas of our own:
 * f32 within 1 ulp of the correctly rounded result, f64 within 2.
 *
 * <p>The greatest errors in f32, in ulp of the exact result, are listed here; a result with an
 * error below 1.5 is within 1 ulp of the correctly rounded one. For all 2^32 operands: exponential
 * 1.04, exponential-minus-one 1.26, tanh 1.20, erf 1.09, log 0.93, log-plus-one 0.93, rsqrt 1.50,
 * logistic 1.45, sine and cosine 1.49, tan 1.27, sinh 1.38, cosh 1.20, asin 1.12, acos 1.16, atan
 * 1.33, asinh 1.33, acosh 1.05, atanh 1.06, cbrt 0.51. For hundreds of millions of random pairs:
 * atan2 1.55, power 1.03. In f64, for thousands of operands: at most 1.48. {@code MathAccuracy} of
 * the benchmarks measures the errors.
 */
final class ElementMath {
  private ElementMath() {}

  /** Writes a function of operands of lane F32 or F64. */
  private interface Writer {
    Value write(Floats floats, Value lhs, Value rhs);
  }

  private static final ImmutableMap<Kind, Writer> FUNCTIONS =
      ImmutableMap.<Kind, Writer>builder()
          .put(Kind.ACOS, (floats, lhs, rhs) -> new ArcFunctions(floats).acos(lhs))
          .put(Kind.ACOSH, (floats, lhs, rhs) -> new InverseHyperbolics(floats).acosh(lhs))
          .put(Kind.ASIN, (floats, lhs, rhs) -> new ArcFunctions(floats).asin(lhs))
          .put(Kind.ASINH, (floats, lhs, rhs) -> new InverseHyperbolics(floats).asinh(lhs))
          .put(Kind.ATAN, (floats, lhs, rhs) -> new ArcFunctions(floats).atan(lhs))
          .put(Kind.ATAN2, (floats, lhs, rhs) -> new ArcFunctions(floats).atan2(lhs, rhs))
          .put(Kind.ATANH, (floats, lhs, rhs) -> new InverseHyperbolics(floats).atanh(lhs))
          .put(Kind.CBRT, (floats, lhs, rhs) -> new Powers(floats).cbrt(lhs))
          .put(Kind.COSINE, (floats, lhs, rhs) -> new Trigonometry(floats).cos(lhs))
          .put(Kind.COSH, (floats, lhs, rhs) -> new Hyperbolics(floats, lhs).cosh())
          .put(Kind.ERF, (floats, lhs, rhs) -> new ErrorFunction(floats).erf(lhs))
          .put(Kind.EXPONENTIAL, (floats, lhs, rhs) -> new Exponentials(floats).exp(lhs))
          .put(
              Kind.EXPONENTIAL_MINUS_ONE, (floats, lhs, rhs) -> new Exponentials(floats).expm1(lhs))
          .put(Kind.LOG, (floats, lhs, rhs) -> new Logarithms(floats).log(lhs))
          .put(Kind.LOGISTIC, (floats, lhs, rhs) -> new Exponentials(floats).logistic(lhs))
          .put(Kind.LOG_PLUS_ONE, (floats, lhs, rhs) -> new Logarithms(floats).log1p(lhs))
          .put(Kind.POWER, (floats, lhs, rhs) -> new Powers(floats).pow(lhs, rhs))
          .put(Kind.RSQRT, (floats, lhs, rhs) -> new Powers(floats).rsqrt(lhs))
          .put(Kind.SINE, (floats, lhs, rhs) -> new Trigonometry(floats).sin(lhs))
          .put(Kind.SINH, (floats, lhs, rhs) -> new Hyperbolics(floats, lhs).sinh(lhs))
          .put(Kind.TAN, (floats, lhs, rhs) -> new Trigonometry(floats).tan(lhs))
          .put(Kind.TANH, (floats, lhs, rhs) -> new Exponentials(floats).tanh(lhs))
          .buildOrThrow();

  /** Returns whether a function is transcendental. */
  static boolean isKnown(Kind kind) {
    return FUNCTIONS.containsKey(kind);
  }

  /** Writes the function of operands of lane F32 or F64; rhs is for functions of two operands. */
  static Value apply(CodeEmitter emitter, Kind kind, Value lhs, Value rhs) {
    Writer function = FUNCTIONS.get(kind);
    if (function == null) {
      throw new AssertionError(kind + " is not transcendental");
    }
    return function.write(new Floats(emitter, lhs.lane()), lhs, rhs);
  }
}
