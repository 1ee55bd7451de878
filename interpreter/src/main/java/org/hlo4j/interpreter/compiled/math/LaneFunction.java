package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NarrowFloats;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The table of code writers of element-wise ops, one row for each, as {@code ScalarFunction} of the
 * reference is the table of what they compute. Unary functions ignore their second operand. An op
 * without a writer has no code: it is fused with nothing, and the reference computes it.
 */
final class LaneFunction {
  /** Writes code for operands of a type. */
  interface Writer {
    Value write(CodeEmitter emitter, ElementType type, Value lhs, Value rhs);
  }

  /** Writes code that does not depend on the type. */
  interface Binary {
    Value write(CodeEmitter emitter, Value lhs, Value rhs);
  }

  /** Writes code of one operand that does not depend on the type. */
  interface Unary {
    Value write(CodeEmitter emitter, Value operand);
  }

  private final Elementwise.Kind kind;
  private Writer preds = (l, t, a, b) -> undefined(t);
  private Writer integers = (l, t, a, b) -> undefined(t);
  private Writer floats = (l, t, a, b) -> undefined(t);
  private boolean isExact;
  private boolean changesOnlySign;

  private LaneFunction(Elementwise.Kind kind) {
    this.kind = kind;
  }

  private Value undefined(ElementType type) {
    throw new NoCodeException("no code for " + kind.mnemonic() + " of " + type);
  }

  /** Returns the row of a kind. */
  static LaneFunction of(Elementwise.Kind kind) {
    LaneFunction f = new LaneFunction(kind);
    return switch (kind) {
      case ABS -> f.integers(CodeEmitter::abs).floats(CodeEmitter::abs).signOnly();
      case ACOS, ACOSH -> f.transcendental();
      case ADD -> f.preds(CodeEmitter::or).integers(CodeEmitter::add).floats(CodeEmitter::add);
      case AND -> f.preds(CodeEmitter::and).integers(CodeEmitter::and).exact();
      case ASIN, ASINH, ATAN, ATAN2, ATANH, CBRT -> f.transcendental();
      case CEIL -> f.floats(CodeEmitter::ceil).exact();
      case COSINE, COSH -> f.transcendental();
      case COUNT_LEADING_ZEROS ->
          f.integers((l, t, a, b) -> IntegerFunctions.countLeadingZeros(l, t, a));
      case DIVIDE -> f.integers(IntegerFunctions::divide).floats(CodeEmitter::divide);
      case ERF, EXPONENTIAL, EXPONENTIAL_MINUS_ONE -> f.transcendental();
      case FLOOR -> f.floats(CodeEmitter::floor).exact();
      case IMAG -> f.floats((l, a) -> l.constant(a.lane(), 0));
      case IS_FINITE -> f.floats(FloatFunctions::isFinite).exact();
      case LOG, LOG_PLUS_ONE, LOGISTIC -> f.transcendental();
      case MAKE_COMPLEX -> f;
      case MAXIMUM ->
          f.preds(CodeEmitter::or)
              .integers(IntegerFunctions::maximum)
              .floats(FloatFunctions::maximum)
              .exact();
      case MINIMUM ->
          f.preds(CodeEmitter::and)
              .integers(IntegerFunctions::minimum)
              .floats(FloatFunctions::minimum)
              .exact();
      case MULHI -> f.integers(IntegerFunctions::multiplyHigh);
      case MULTIPLY ->
          f.preds(CodeEmitter::and).integers(CodeEmitter::multiply).floats(CodeEmitter::multiply);
      case NEGATE -> f.integers(CodeEmitter::negate).floats(CodeEmitter::negate).signOnly();
      case NOT -> f.preds((l, a, b) -> l.not(a)).integers(CodeEmitter::not);
      case OR -> f.preds(CodeEmitter::or).integers(CodeEmitter::or).exact();
      case POPCNT -> f.integers((l, t, a, b) -> IntegerFunctions.populationCount(l, t, a));
      case POWER -> f.integers(IntegerFunctions::power).transcendental();
      case REAL -> f.floats((l, a) -> a).signOnly();
      case REMAINDER -> f.integers(IntegerFunctions::remainder).floats(FloatFunctions::remainder);
      case ROUND_NEAREST_AFZ -> f.floats(FloatFunctions::roundNearestAfz).exact();
      case ROUND_NEAREST_EVEN -> f.floats(CodeEmitter::rint).exact();
      case RSQRT -> f.transcendental();
      case SHIFT_LEFT -> f.integers(IntegerFunctions::shiftLeft);
      case SHIFT_RIGHT_ARITHMETIC -> f.integers(IntegerFunctions::shiftRightArithmetic);
      case SHIFT_RIGHT_LOGICAL -> f.integers(IntegerFunctions::shiftRightLogical);
      case SIGN -> f.integers(IntegerFunctions::sign).floats(FloatFunctions::sign).exact();
      case SINE, SINH -> f.transcendental();
      case SQRT -> f.floats(CodeEmitter::sqrt);
      case SUBTRACT -> f.integers(CodeEmitter::subtract).floats(CodeEmitter::subtract);
      case TAN, TANH -> f.transcendental();
      case XOR -> f.preds(CodeEmitter::xor).integers(CodeEmitter::xor).exact();
    };
  }

  private LaneFunction preds(Binary writer) {
    preds = (emitter, type, lhs, rhs) -> writer.write(emitter, lhs, rhs);
    return this;
  }

  private LaneFunction integers(Writer writer) {
    integers = writer;
    return this;
  }

  private LaneFunction integers(Binary writer) {
    return integers((emitter, type, lhs, rhs) -> writer.write(emitter, lhs, rhs));
  }

  private LaneFunction integers(Unary writer) {
    return integers((emitter, type, lhs, rhs) -> writer.write(emitter, lhs));
  }

  private LaneFunction floats(Binary writer) {
    floats = (emitter, type, lhs, rhs) -> writer.write(emitter, lhs, rhs);
    return this;
  }

  private LaneFunction floats(Unary writer) {
    floats = (emitter, type, lhs, rhs) -> writer.write(emitter, lhs);
    return this;
  }

  private LaneFunction transcendental() {
    floats = (emitter, type, lhs, rhs) -> ElementMath.apply(emitter, kind, lhs, rhs);
    return this;
  }

  /**
   * Marks results as values of the type already, which neither wrapping nor rounding would change.
   */
  private LaneFunction exact() {
    isExact = true;
    return this;
  }

  /**
   * Marks functions that change at most the sign of floats. Rounding would lose the bits of NaNs.
   */
  private LaneFunction signOnly() {
    changesOnlySign = true;
    return this;
  }

  /** Writes the function of operands of a type. */
  Value write(CodeEmitter emitter, ElementType type, Value lhs, Value rhs) {
    return switch (type.kind()) {
      case PRED -> preds.write(emitter, type, lhs, rhs);
      case SIGNED, UNSIGNED -> {
        Value result = integers.write(emitter, type, lhs, rhs);
        yield isExact ? result : IntegerFunctions.wrap(emitter, type, result);
      }
      case FLOAT -> {
        Lane wide = NarrowFloats.isScalarOnly(type) ? Lane.F64 : lhs.lane();
        Value result =
            floats.write(emitter, type, emitter.convert(lhs, wide), emitter.convert(rhs, wide));
        boolean keeps =
            result.lane() == Lane.MASK
                || (isExact && type.bits() >= 16)
                || (changesOnlySign && NarrowFloats.hasSign(type));
        yield keeps
            ? result
            : emitter.convert(LaneConversions.rounded(emitter, type, result), Lane.of(type));
      }
      case COMPLEX -> undefined(type);
    };
  }
}
