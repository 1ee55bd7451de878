package org.hlo4j.interpreter.compiled.lanes;

import static org.hlo4j.hlo.op.Elementwise.Kind.COSINE;
import static org.hlo4j.hlo.op.Elementwise.Kind.ERF;
import static org.hlo4j.hlo.op.Elementwise.Kind.EXPONENTIAL;
import static org.hlo4j.hlo.op.Elementwise.Kind.EXPONENTIAL_MINUS_ONE;
import static org.hlo4j.hlo.op.Elementwise.Kind.LOG;
import static org.hlo4j.hlo.op.Elementwise.Kind.LOGISTIC;
import static org.hlo4j.hlo.op.Elementwise.Kind.LOG_PLUS_ONE;
import static org.hlo4j.hlo.op.Elementwise.Kind.RSQRT;
import static org.hlo4j.hlo.op.Elementwise.Kind.SINE;
import static org.hlo4j.hlo.op.Elementwise.Kind.TANH;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.Optional;
import org.hlo4j.hlo.op.Elementwise;

/**
 * The transcendental functions of f32 and f64 in both back ends, by formulas of our own: f32 within
 * 1 ulp of the correctly rounded result for every operand, f64 within 2.
 */
public final class ElementMath {
  private ElementMath() {}

  private static final ImmutableSet<Elementwise.Kind> KNOWN =
      Sets.immutableEnumSet(
          EXPONENTIAL,
          EXPONENTIAL_MINUS_ONE,
          TANH,
          LOGISTIC,
          ERF,
          LOG,
          LOG_PLUS_ONE,
          RSQRT,
          SINE,
          COSINE);

  /** Whether it has a formula of its own here. */
  public static boolean isKnown(Elementwise.Kind kind) {
    return KNOWN.contains(kind);
  }

  /** The function of an op on operands of lane F32 or F64; empty if there is none here. */
  public static Optional<Value> apply(Lanes lanes, Elementwise.Kind kind, Value... operands) {
    Value x = operands[0];
    if (!x.lane().isFloating()) {
      return Optional.empty();
    }
    Floats floats = new Floats(lanes, x.lane());
    return Optional.ofNullable(
        switch (kind) {
          case EXPONENTIAL -> new Exponentials(floats).exp(x);
          case EXPONENTIAL_MINUS_ONE -> new Exponentials(floats).expm1(x);
          case TANH -> new Exponentials(floats).tanh(x);
          case LOGISTIC -> new Exponentials(floats).logistic(x);
          case ERF -> new ErrorFunction(floats).erf(x);
          case LOG -> new Logarithms(floats).log(x);
          case LOG_PLUS_ONE -> new Logarithms(floats).log1p(x);
          case RSQRT -> lanes.divide(floats.number(1), lanes.sqrt(x));
          case SINE -> new Trigonometry(floats).sin(x);
          case COSINE -> new Trigonometry(floats).cos(x);
          case ABS, ACOS, ACOSH, ADD, AND, ASIN, ASINH, ATAN, ATAN2, ATANH, CBRT, CEIL, COSH,
              COUNT_LEADING_ZEROS, DIVIDE, FLOOR, IMAG, IS_FINITE, MAKE_COMPLEX, MAXIMUM, MINIMUM,
              MULHI, MULTIPLY, NEGATE, NOT, OR, POPCNT, POWER, REAL, REMAINDER, ROUND_NEAREST_AFZ,
              ROUND_NEAREST_EVEN, SHIFT_LEFT, SHIFT_RIGHT_ARITHMETIC, SHIFT_RIGHT_LOGICAL, SIGN,
              SINH, SQRT, SUBTRACT, TAN, XOR -> null;
        });
  }
}
