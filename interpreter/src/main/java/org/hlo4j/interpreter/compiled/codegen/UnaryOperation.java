package org.hlo4j.interpreter.compiled.codegen;

/**
 * An operation on one value, implemented by both code emitters. The result has the lane of the
 * operand.
 */
enum UnaryOperation {
  /** Negation; integers wrap. */
  NEGATE("NEG"),
  /** Absolute value; integers wrap. */
  ABS("ABS"),
  /** Square root of floats. */
  SQRT("SQRT"),
  /** Bitwise complement; of masks, logical negation. */
  NOT("NOT"),
  /** The number of one bits. */
  BIT_COUNT("BIT_COUNT"),
  /** The number of zero bits above the highest one bit. */
  LEADING_ZEROS("LEADING_ZEROS_COUNT");

  /** The name of the operator in the Vector API. */
  final String operator;

  UnaryOperation(String operator) {
    this.operator = operator;
  }
}
