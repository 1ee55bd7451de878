package org.hlo4j.interpreter.compiled.loops;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;

/** About how many vector instructions a node takes, which decides where a loop is cut. */
final class Weights {
  private static final int POLYNOMIAL = 30;

  private Weights() {}

  static int of(Node.Apply apply) {
    int each = apply.op() instanceof Elementwise op ? of(op.kind()) : 1;
    return each + rounding(apply.type());
  }

  /** Narrow floats are rounded after each op. */
  private static int rounding(ElementType type) {
    return type.isFloating() && type.bits() < 32 ? 5 : 0;
  }

  private static int of(Elementwise.Kind kind) {
    return switch (kind) {
      case ABS, ADD, AND, MULTIPLY, NEGATE, NOT, OR, SUBTRACT, XOR, REAL, IMAG, MAKE_COMPLEX -> 1;
      case CEIL, FLOOR, IS_FINITE, SIGN, SQRT, DIVIDE, ROUND_NEAREST_AFZ, ROUND_NEAREST_EVEN -> 4;
      case SHIFT_LEFT, SHIFT_RIGHT_ARITHMETIC, SHIFT_RIGHT_LOGICAL, POPCNT -> 3;
      case COUNT_LEADING_ZEROS, MULHI, MAXIMUM, MINIMUM, RSQRT -> 6;
      case ACOS, ACOSH, ASIN, ASINH, ATAN, ATAN2, ATANH, CBRT, COSINE, COSH, ERF -> POLYNOMIAL;
      case EXPONENTIAL, EXPONENTIAL_MINUS_ONE, LOG, LOG_PLUS_ONE, LOGISTIC -> POLYNOMIAL;
      case POWER, REMAINDER, SINE, SINH, TAN, TANH -> POLYNOMIAL;
    };
  }
}
