package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;

/**
 * A scalar emitter whose code has no branches: selects and comparisons are arithmetic, which C2
 * vectorizes. It is used for loops that are split where the bits of floats are taken as integers.
 */
public non-sealed class BranchlessEmitter extends ScalarEmitter {
  /** Creates an emitter. */
  protected BranchlessEmitter(CodeBuilder code) {
    super(code);
  }

  @Override
  public Value compare(Relation relation, Value lhs, Value rhs) {
    return lhs.lane().isFloating()
        ? compareFloats(relation, lhs, rhs)
        : compareIntegers(relation, lhs, rhs);
  }

  private Value compareFloats(Relation relation, Value lhs, Value rhs) {
    return switch (relation) {
      case LT, ULT -> isNegative(sign(lhs, rhs));
      case GT, UGT -> isNegative(sign(rhs, lhs));
      case LE, ULE -> and(opposite(isNegative(sign(rhs, lhs))), areOrdered(lhs, rhs));
      case GE, UGE -> and(opposite(isNegative(sign(lhs, rhs))), areOrdered(lhs, rhs));
      case EQ -> areEqual(lhs, rhs);
      case NE -> opposite(areEqual(lhs, rhs));
    };
  }

  /** Returns the sign of {@code lhs - rhs} as -1, 0 or 1; 0 if either is NaN. */
  private Value sign(Value lhs, Value rhs) {
    Value difference = subtract(lhs, rhs);
    return convert(call(Math.class, "signum", lhs.lane(), difference), Lane.I32);
  }

  private Value areEqual(Value lhs, Value rhs) {
    Value ordered = areOrdered(lhs, rhs);
    return lhs.equals(rhs)
        ? ordered
        : and(opposite(mask(and(sign(lhs, rhs), constant(Lane.I32, 1)))), ordered);
  }

  /**
   * Returns whether neither operand is NaN: {@code 0 * x + 1}, with x clamped to [-1, 1], is 1 for
   * numbers, and converts to 0 for NaN.
   */
  private Value areOrdered(Value lhs, Value rhs) {
    if (isNumber(lhs)) {
      return isOrdered(rhs);
    } else if (isNumber(rhs) || lhs.equals(rhs)) {
      return isOrdered(lhs);
    }
    return and(isOrdered(lhs), isOrdered(rhs));
  }

  private boolean isNumber(Value value) {
    return constantValue(value).map(number -> !Double.isNaN(number.doubleValue())).orElse(false);
  }

  private Value isOrdered(Value value) {
    Lane lane = value.lane();
    Value one = constant(lane, 1);
    Value bounded = max(min(value, one), constant(lane, -1));
    return mask(convert(fma(bounded, constant(lane, 0), one), Lane.I32));
  }

  private Value compareIntegers(Relation relation, Value lhs, Value rhs) {
    return switch (relation) {
      case EQ -> opposite(areUnequal(lhs, rhs));
      case NE -> areUnequal(lhs, rhs);
      case LT -> isNegative(isLess(lhs, rhs));
      case GT -> isNegative(isLess(rhs, lhs));
      case LE -> opposite(isNegative(isLess(rhs, lhs)));
      case GE -> opposite(isNegative(isLess(lhs, rhs)));
      case ULT -> isNegative(isLessUnsigned(lhs, rhs));
      case UGT -> isNegative(isLessUnsigned(rhs, lhs));
      case ULE -> opposite(isNegative(isLessUnsigned(rhs, lhs)));
      case UGE -> opposite(isNegative(isLessUnsigned(lhs, rhs)));
    };
  }

  /**
   * Returns whether d, the exclusive or, is not 0: only then is the sign bit of {@code d | -d} set.
   */
  private Value areUnequal(Value lhs, Value rhs) {
    Value difference = xor(lhs, rhs);
    return isNegative(or(difference, negate(difference)));
  }

  /** Returns a negative number if lhs is less: the difference, corrected for overflow. */
  private Value isLess(Value lhs, Value rhs) {
    Value difference = subtract(lhs, rhs);
    Value overflow = and(xor(lhs, rhs), xor(difference, lhs));
    return xor(difference, overflow);
  }

  private Value isLessUnsigned(Value lhs, Value rhs) {
    Value only = and(complement(lhs), rhs);
    Value alike = complement(xor(lhs, rhs));
    return or(only, and(alike, subtract(lhs, rhs)));
  }

  private Value complement(Value value) {
    return xor(value, constant(value.lane(), -1));
  }

  /** Returns 1 if a value is negative, otherwise 0. */
  private Value isNegative(Value value) {
    Value highest = shiftRightLogical(value, value.lane() == Lane.I64 ? 63 : 31);
    return mask(value.lane() == Lane.I64 ? convert(highest, Lane.I32) : highest);
  }

  /** Returns an int that is 0 or 1 as a mask, which is the same in scalar code. */
  private static Value mask(Value zeroOrOne) {
    return new Value(Lane.MASK, zeroOrOne.local());
  }

  private Value opposite(Value mask) {
    return xor(mask, constant(Lane.MASK, 1));
  }

  @Override
  public Value select(Value mask, Value onTrue, Value onFalse) {
    Lane lane = onTrue.lane();
    if (lane.isFloating()) {
      return reinterpret(select(mask, reinterpret(onTrue), reinterpret(onFalse)));
    }
    Value holds = new Value(Lane.I32, mask.local());
    if (constantValue(onTrue).filter(number -> number.longValue() == 1).isPresent()
        && constantValue(onFalse).filter(number -> number.longValue() == 0).isPresent()) {
      return lane == Lane.I64 ? convert(holds, lane) : new Value(lane, mask.local());
    }
    Value all = negate(holds);
    Value chosen = lane == Lane.I64 ? convert(all, lane) : new Value(lane, all.local());
    return xor(onFalse, and(xor(onTrue, onFalse), chosen));
  }
}
