package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Sets;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Select;
import org.jspecify.annotations.Nullable;

/**
 * Simplification of arithmetic: neutral and absorbing elements, and ops that undo each other. Rules
 * for floats keep every bit. An op turns a NaN into the one quiet NaN of its type, so {@code x * 1}
 * is {@code x} only if {@code x} is itself computed by such an op. {@code x + 0} is never {@code
 * x}, since it turns -0 into 0.
 */
final class ArithmeticRules implements Simplification.Rule {
  /** A neutral element: leaves the other operand unchanged, on both sides or only on the right. */
  private record Neutral(double value, boolean isOnBothSides) {}

  private static final Neutral ZERO = new Neutral(0, true);
  private static final Neutral ONE = new Neutral(1, true);
  private static final Neutral ZERO_ON_THE_RIGHT = new Neutral(0, false);
  private static final Neutral ONE_ON_THE_RIGHT = new Neutral(1, false);

  private static final ImmutableMap<Kind, Neutral> PREDS =
      ImmutableMap.of(
          Kind.AND, ONE,
          Kind.MULTIPLY, ONE,
          Kind.MINIMUM, ONE,
          Kind.OR, ZERO,
          Kind.ADD, ZERO,
          Kind.MAXIMUM, ZERO,
          Kind.XOR, ZERO);

  private static final ImmutableMap<Kind, Neutral> INTEGERS =
      ImmutableMap.of(
          Kind.ADD, ZERO,
          Kind.OR, ZERO,
          Kind.XOR, ZERO,
          Kind.SUBTRACT, ZERO_ON_THE_RIGHT,
          Kind.SHIFT_LEFT, ZERO_ON_THE_RIGHT,
          Kind.SHIFT_RIGHT_ARITHMETIC, ZERO_ON_THE_RIGHT,
          Kind.SHIFT_RIGHT_LOGICAL, ZERO_ON_THE_RIGHT,
          Kind.MULTIPLY, ONE,
          Kind.DIVIDE, ONE_ON_THE_RIGHT,
          Kind.POWER, ONE_ON_THE_RIGHT);

  private static final ImmutableMap<Kind, Neutral> FLOATS =
      ImmutableMap.of(
          Kind.ADD, new Neutral(-0.0, true),
          Kind.SUBTRACT, ZERO_ON_THE_RIGHT,
          Kind.MULTIPLY, ONE,
          Kind.DIVIDE, ONE_ON_THE_RIGHT);

  @Override
  public @Nullable HloInstruction apply(HloInstruction instruction, Rewriter rewriter) {
    return switch (instruction.op()) {
      case Elementwise op when op.kind().arity() == 1 -> undone(op.kind(), instruction);
      case Elementwise op -> binary(op.kind(), instruction, rewriter);
      case Convert op -> converted(instruction);
      case Select op -> selected(instruction);
      default -> null;
    };
  }

  // unary

  private static @Nullable HloInstruction undone(Kind kind, HloInstruction instruction) {
    HloInstruction operand = instruction.operands().get(0);
    if (!(operand.op() instanceof Elementwise inner)) {
      return null;
    }
    if (inner.kind() == Kind.MAKE_COMPLEX) {
      return part(kind, operand);
    }
    if (inner.kind() != kind) {
      return null;
    }
    boolean isSelfInverse =
        kind == Kind.NOT || (kind == Kind.NEGATE && hasExactNegative(array(instruction)));
    boolean isIdempotent = kind == Kind.ABS && hasExactNegative(array(operand, 0));
    return isSelfInverse ? operand.operands().get(0) : isIdempotent ? operand : null;
  }

  private static @Nullable HloInstruction part(Kind kind, HloInstruction complex) {
    if (kind != Kind.REAL && kind != Kind.IMAG) {
      return null;
    }
    HloInstruction part = complex.operands().get(kind == Kind.REAL ? 0 : 1);
    return keepsNaN(part) ? part : null;
  }

  /**
   * Returns whether negating or taking the absolute value of any element is exact: integers wrap,
   * and of these floats only the sign bit changes.
   */
  private static boolean hasExactNegative(Shape.Array array) {
    return array.elementType().isIntegral() || isPlainFloat(array.elementType());
  }

  private static boolean isPlainFloat(ElementType type) {
    return type == ElementType.F32
        || type == ElementType.F64
        || type == ElementType.BF16
        || type == ElementType.F16;
  }

  /** The kinds that leave a signalling NaN as it is, but for its sign. */
  private static final Set<Kind> COPIES_OF_NAN =
      Sets.immutableEnumSet(Kind.NEGATE, Kind.ABS, Kind.REAL, Kind.IMAG);

  private static @Nullable HloInstruction converted(HloInstruction instruction) {
    HloInstruction operand = instruction.operands().get(0);
    boolean isSame = array(operand).elementType() == array(instruction).elementType();
    return isSame && keepsNaN(operand) ? operand : null;
  }

  /** Returns whether an op that gives only quiet NaNs leaves the NaNs of this operand unchanged. */
  private static boolean keepsNaN(HloInstruction operand) {
    ElementType type = array(operand).elementType();
    if (!type.isFloating() && !type.isComplex()) {
      return true;
    }
    return isPlainFloat(type)
        && switch (operand.op()) {
          case Convert _, Clamp _ -> true;
          case Elementwise op -> !COPIES_OF_NAN.contains(op.kind());
          default -> false;
        };
  }

  // select

  private static @Nullable HloInstruction selected(HloInstruction instruction) {
    HloInstruction onTrue = instruction.operands().get(1);
    HloInstruction onFalse = instruction.operands().get(2);
    if (onTrue == onFalse) {
      return onTrue;
    }
    return UniformValues.splat(instruction.operands().get(0))
        .map(known -> known.booleanAt(0) ? onTrue : onFalse)
        .orElse(null);
  }

  // binary

  private static @Nullable HloInstruction binary(
      Kind kind, HloInstruction instruction, Rewriter rewriter) {
    HloInstruction lhs = instruction.operands().get(0);
    HloInstruction rhs = instruction.operands().get(1);
    Optional<Literal> left = UniformValues.splat(lhs);
    Optional<Literal> right = UniformValues.splat(rhs);
    ElementType type = array(instruction).elementType();
    if (right.isPresent() && isNeutral(kind, type, right.get(), false) && keepsNaN(lhs)) {
      return lhs;
    }
    if (left.isPresent() && isNeutral(kind, type, left.get(), true) && keepsNaN(rhs)) {
      return rhs;
    }
    if (right.isPresent() && isAbsorbing(kind, type, right.get())) {
      return rhs;
    }
    if (left.isPresent() && isAbsorbing(kind, type, left.get())) {
      return lhs;
    }
    return right.isPresent() && kind == Kind.DIVIDE && isPlainFloat(type)
        ? multiplied(instruction, lhs, right.get(), rewriter)
        : null;
  }

  /** Returns whether an operand of this value leaves the other operand unchanged. */
  private static boolean isNeutral(Kind kind, ElementType type, Literal value, boolean isLeft) {
    return switch (type.kind()) {
      case PRED -> isNeutral(PREDS.get(kind), value.booleanAt(0) ? 1 : 0, isLeft);
      case SIGNED, UNSIGNED -> isNeutral(INTEGERS.get(kind), (double) value.longAt(0), isLeft);
      case FLOAT -> isPlainFloat(type) && isNeutral(FLOATS.get(kind), value.doubleAt(0), isLeft);
      case COMPLEX -> false;
    };
  }

  private static boolean isNeutral(@Nullable Neutral neutral, double value, boolean isLeft) {
    return neutral != null
        && Double.compare(neutral.value, value) == 0
        && (neutral.isOnBothSides || !isLeft);
  }

  /** Returns whether the result is this value, whatever the other operand is. */
  private static boolean isAbsorbing(Kind kind, ElementType type, Literal value) {
    return switch (type.kind()) {
      case PRED ->
          PREDS.containsKey(kind)
              && kind != Kind.XOR
              && !isNeutral(PREDS.get(kind), value.booleanAt(0) ? 1 : 0, false);
      case SIGNED, UNSIGNED -> (kind == Kind.MULTIPLY || kind == Kind.AND) && value.longAt(0) == 0;
      case FLOAT, COMPLEX -> false;
    };
  }

  /**
   * Returns a division by a power of two as a multiplication by the reciprocal; null if the
   * reciprocal is not exact.
   */
  private static @Nullable HloInstruction multiplied(
      HloInstruction division, HloInstruction lhs, Literal divisor, Rewriter rewriter) {
    ElementType type = divisor.elementType();
    double value = divisor.doubleAt(0);
    double reciprocal = 1 / value;
    boolean isPower = Math.abs(value) == Math.scalb(1.0, Math.getExponent(value));
    boolean isExact =
        Double.isFinite(value)
            && value != 0
            && isPower
            && Math.abs(reciprocal) <= type.maxFinite()
            && type.round(reciprocal) == reciprocal
            && reciprocal * value == 1;
    if (!isExact) {
      return null;
    }
    return rewriter.newReplacement(
        division,
        new Elementwise(Kind.MULTIPLY),
        lhs,
        rewriter.full(Literal.of(type, reciprocal), array(division)));
  }
}
