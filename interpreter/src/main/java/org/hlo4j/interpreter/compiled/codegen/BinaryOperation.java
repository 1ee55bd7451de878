package org.hlo4j.interpreter.compiled.codegen;

/** What both back ends do with two values of a lane, result in the same lane. */
enum BinaryOperation {
  /** Sum; of integers wrapping. */
  ADD,
  /** Difference; of integers wrapping. */
  SUBTRACT,
  /** Product; of integers wrapping. */
  MULTIPLY,
  /** Quotient, of floats only. */
  DIVIDE,
  /** The greater; NaN wins, -0 is below 0; integers signed. */
  MAX,
  /** The lesser; NaN wins, -0 is below 0; integers signed. */
  MIN,
  /** The greater of unsigned integers. */
  MAX_UNSIGNED,
  /** The lesser of unsigned integers. */
  MIN_UNSIGNED,
  /** Bits of both; of masks whether both. */
  AND,
  /** Bits of either; of masks whether either. */
  OR,
  /** Bits of one alone; of masks whether they differ. */
  XOR,
  /** Left by the low bits of the amount, as Java has it. */
  SHIFT_LEFT,
  /** Right by the low bits of the amount, the sign coming in. */
  SHIFT_RIGHT,
  /** Right by the low bits of the amount, zeros coming in. */
  SHIFT_RIGHT_LOGICAL
}
