package org.hlo4j.interpreter.compiled.codegen;

/** The operations on elements whose results have the lane of their operands. */
public abstract sealed class LaneArithmetic permits MethodVariables {
  abstract Value unary(UnaryOperation operation, Value value);

  abstract Value binary(BinaryOperation operation, Value lhs, Value rhs);

  /** {@code lhs + rhs} */
  public final Value add(Value lhs, Value rhs) {
    return binary(BinaryOperation.ADD, lhs, rhs);
  }

  /** {@code lhs - rhs} */
  public final Value subtract(Value lhs, Value rhs) {
    return binary(BinaryOperation.SUBTRACT, lhs, rhs);
  }

  /** {@code lhs * rhs} */
  public final Value multiply(Value lhs, Value rhs) {
    return binary(BinaryOperation.MULTIPLY, lhs, rhs);
  }

  /** {@code lhs / rhs} of floats. */
  public final Value divide(Value lhs, Value rhs) {
    return binary(BinaryOperation.DIVIDE, lhs, rhs);
  }

  /** {@code a * b + c} of floats, rounded once. */
  public abstract Value fma(Value a, Value b, Value c);

  /** Returns the maximum; NaN if either is NaN, -0 is below 0; integers are signed. */
  public final Value max(Value lhs, Value rhs) {
    return binary(BinaryOperation.MAX, lhs, rhs);
  }

  /** Returns the minimum; NaN if either is NaN, -0 is below 0; integers are signed. */
  public final Value min(Value lhs, Value rhs) {
    return binary(BinaryOperation.MIN, lhs, rhs);
  }

  /** Returns the maximum of unsigned integers. */
  public final Value maxUnsigned(Value lhs, Value rhs) {
    return binary(BinaryOperation.MAX_UNSIGNED, lhs, rhs);
  }

  /** Returns the minimum of unsigned integers. */
  public final Value minUnsigned(Value lhs, Value rhs) {
    return binary(BinaryOperation.MIN_UNSIGNED, lhs, rhs);
  }

  /** Returns the maximum or the minimum over all lanes of a vector of integers, in all lanes. */
  public abstract Value extreme(Value integers, boolean isGreatest);

  /** {@code -value} */
  public final Value negate(Value value) {
    return unary(UnaryOperation.NEGATE, value);
  }

  /** {@code |value|} */
  public final Value abs(Value value) {
    return unary(UnaryOperation.ABS, value);
  }

  /** Returns the square root of floats. */
  public final Value sqrt(Value value) {
    return unary(UnaryOperation.SQRT, value);
  }

  /** Rounds floats down to an integer. */
  public abstract Value floor(Value value);

  /** Rounds floats up to an integer. */
  public abstract Value ceil(Value value);

  /** Rounds floats to the nearest integer, halves to even. */
  public abstract Value rint(Value value);

  // ---- bits

  /** {@code lhs & rhs}, also of masks. */
  public final Value and(Value lhs, Value rhs) {
    return binary(BinaryOperation.AND, lhs, rhs);
  }

  /** {@code lhs | rhs}, also of masks. */
  public final Value or(Value lhs, Value rhs) {
    return binary(BinaryOperation.OR, lhs, rhs);
  }

  /** {@code lhs ^ rhs}, also of masks. */
  public final Value xor(Value lhs, Value rhs) {
    return binary(BinaryOperation.XOR, lhs, rhs);
  }

  /** {@code ~value}, also of masks. */
  public final Value not(Value value) {
    return unary(UnaryOperation.NOT, value);
  }

  /** Returns the number of one bits of an integer. */
  public final Value bitCount(Value value) {
    return unary(UnaryOperation.BIT_COUNT, value);
  }

  /** Returns the number of zero bits above the highest one bit of an integer. */
  public final Value leadingZeros(Value value) {
    return unary(UnaryOperation.LEADING_ZEROS, value);
  }

  /** {@code value << amount}, using the low bits of the amount as in Java. */
  public final Value shiftLeft(Value value, Value amount) {
    return binary(BinaryOperation.SHIFT_LEFT, value, amount);
  }

  /** {@code value >> amount}, using the low bits of the amount as in Java. */
  public final Value shiftRight(Value value, Value amount) {
    return binary(BinaryOperation.SHIFT_RIGHT, value, amount);
  }

  /** {@code value >>> amount}, using the low bits of the amount as in Java. */
  public final Value shiftRightLogical(Value value, Value amount) {
    return binary(BinaryOperation.SHIFT_RIGHT_LOGICAL, value, amount);
  }

  /** {@code value << amount} */
  public final Value shiftLeft(Value value, int amount) {
    return shift(BinaryOperation.SHIFT_LEFT, value, amount);
  }

  /** {@code value >> amount} */
  public final Value shiftRight(Value value, int amount) {
    return shift(BinaryOperation.SHIFT_RIGHT, value, amount);
  }

  /** {@code value >>> amount} */
  public final Value shiftRightLogical(Value value, int amount) {
    return shift(BinaryOperation.SHIFT_RIGHT_LOGICAL, value, amount);
  }

  abstract Value shift(BinaryOperation operation, Value value, int amount);
}
