package org.hlo4j.interpreter.compiled.lanes;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.Optional;
import org.hlo4j.hlo.op.Elementwise.Kind;

/**
 * The transcendental functions of f32 and f64 in both back ends, by formulas of our own: f32 within
 * 1 ulp of the correctly rounded result for every operand, f64 within 2.
 */
public final class ElementMath {
  private ElementMath() {}

  private static final ImmutableSet<Kind> KNOWN =
      Sets.immutableEnumSet(
          Kind.ACOS,
          Kind.ACOSH,
          Kind.ASIN,
          Kind.ASINH,
          Kind.ATAN,
          Kind.ATAN2,
          Kind.ATANH,
          Kind.CBRT,
          Kind.COSINE,
          Kind.COSH,
          Kind.ERF,
          Kind.EXPONENTIAL,
          Kind.EXPONENTIAL_MINUS_ONE,
          Kind.LOG,
          Kind.LOGISTIC,
          Kind.LOG_PLUS_ONE,
          Kind.POWER,
          Kind.RSQRT,
          Kind.SINE,
          Kind.SINH,
          Kind.TAN,
          Kind.TANH);

  /** Whether it has a formula of its own here. */
  public static boolean isKnown(Kind kind) {
    return KNOWN.contains(kind);
  }

  /** The function of an op on operands of lane F32 or F64; empty if there is none here. */
  public static Optional<Value> apply(Lanes lanes, Kind kind, Value... operands) {
    Value x = operands[0];
    if (!x.lane().isFloating()) {
      return Optional.empty();
    }
    Floats floats = new Floats(lanes, x.lane());
    return Optional.ofNullable(
        switch (kind) {
          case ACOS -> new ArcFunctions(floats).acos(x);
          case ACOSH -> new InverseHyperbolics(floats).acosh(x);
          case ASIN -> new ArcFunctions(floats).asin(x);
          case ASINH -> new InverseHyperbolics(floats).asinh(x);
          case ATAN -> new ArcFunctions(floats).atan(x);
          case ATAN2 -> new ArcFunctions(floats).atan2(x, operands[1]);
          case ATANH -> new InverseHyperbolics(floats).atanh(x);
          case CBRT -> new Powers(floats).cbrt(x);
          case COSINE -> new Trigonometry(floats).cos(x);
          case COSH -> new Hyperbolics(floats, x).cosh();
          case ERF -> new ErrorFunction(floats).erf(x);
          case EXPONENTIAL -> new Exponentials(floats).exp(x);
          case EXPONENTIAL_MINUS_ONE -> new Exponentials(floats).expm1(x);
          case LOG -> new Logarithms(floats).log(x);
          case LOGISTIC -> new Exponentials(floats).logistic(x);
          case LOG_PLUS_ONE -> new Logarithms(floats).log1p(x);
          case POWER -> new Powers(floats).pow(x, operands[1]);
          case RSQRT -> new Powers(floats).rsqrt(x);
          case SINE -> new Trigonometry(floats).sin(x);
          case SINH -> new Hyperbolics(floats, x).sinh(x);
          case TAN -> new Trigonometry(floats).tan(x);
          case TANH -> new Exponentials(floats).tanh(x);
          case ABS,
              ADD,
              AND,
              CEIL,
              COUNT_LEADING_ZEROS,
              DIVIDE,
              FLOOR,
              IMAG,
              IS_FINITE,
              MAKE_COMPLEX,
              MAXIMUM,
              MINIMUM,
              MULHI,
              MULTIPLY,
              NEGATE,
              NOT,
              OR,
              POPCNT,
              REAL,
              REMAINDER,
              ROUND_NEAREST_AFZ,
              ROUND_NEAREST_EVEN,
              SHIFT_LEFT,
              SHIFT_RIGHT_ARITHMETIC,
              SHIFT_RIGHT_LOGICAL,
              SIGN,
              SQRT,
              SUBTRACT,
              XOR ->
              null;
        });
  }
}
