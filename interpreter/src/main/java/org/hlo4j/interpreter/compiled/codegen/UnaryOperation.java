package org.hlo4j.interpreter.compiled.codegen;

/**
 * An operation on one value, implemented by both code emitters. The result has the lane of the
 * operand.
 */
enum UnaryOperation {
  /** Negation; integers wrap. */
  NEGATE,
  /** Absolute value; integers wrap. */
  ABS,
  /** Square root of floats. */
  SQRT,
  /** Bitwise complement; of masks, logical negation. */
  NOT,
  /** The number of one bits. */
  BIT_COUNT,
  /** The number of zero bits above the highest one bit. */
  LEADING_ZEROS
}
