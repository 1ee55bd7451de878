package org.hlo4j.interpreter.compiled.codegen;

/**
 * An operation on two values of a lane, implemented by both code emitters. The result has the lane
 * of the operands.
 */
enum BinaryOperation {
  /** Sum; integers wrap. */
  ADD,
  /** Difference; integers wrap. */
  SUBTRACT,
  /** Product; integers wrap. */
  MULTIPLY,
  /** Quotient, of floats only. */
  DIVIDE,
  /** Maximum; NaN if either operand is NaN, -0 is below 0; integers are signed. */
  MAX,
  /** Minimum; NaN if either operand is NaN, -0 is below 0; integers are signed. */
  MIN,
  /** Maximum of unsigned integers. */
  MAX_UNSIGNED,
  /** Minimum of unsigned integers. */
  MIN_UNSIGNED,
  /** Bitwise and; of masks, logical and. */
  AND,
  /** Bitwise or; of masks, logical or. */
  OR,
  /** Bitwise exclusive or; of masks, logical exclusive or. */
  XOR,
  /** Left shift by the low bits of the amount, as in Java. */
  SHIFT_LEFT,
  /** Arithmetic right shift by the low bits of the amount, as in Java. */
  SHIFT_RIGHT,
  /** Logical right shift by the low bits of the amount, as in Java. */
  SHIFT_RIGHT_LOGICAL
}
