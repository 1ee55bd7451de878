package org.hlo4j.interpreter.compiled.codegen;

/**
 * An operation on two values of a lane, implemented by both code emitters. The result has the lane
 * of the operands.
 */
enum BinaryOperation {
  /** Sum; integers wrap. */
  ADD("ADD", "Associative"),
  /** Difference; integers wrap. */
  SUBTRACT("SUB", "Binary"),
  /** Product; integers wrap. */
  MULTIPLY("MUL", "Associative"),
  /** Quotient, of floats only. */
  DIVIDE("DIV", "Binary"),
  /** Maximum; NaN if either operand is NaN, -0 is below 0; integers are signed. */
  MAX("MAX", "Associative"),
  /** Minimum; NaN if either operand is NaN, -0 is below 0; integers are signed. */
  MIN("MIN", "Associative"),
  /** Maximum of unsigned integers. */
  MAX_UNSIGNED("UMAX", "Associative"),
  /** Minimum of unsigned integers. */
  MIN_UNSIGNED("UMIN", "Associative"),
  /** Bitwise and; of masks, logical and. */
  AND("AND", "Associative"),
  /** Bitwise or; of masks, logical or. */
  OR("OR", "Associative"),
  /** Bitwise exclusive or; of masks, logical exclusive or. */
  XOR("XOR", "Associative"),
  /** Left shift by the low bits of the amount, as in Java. */
  SHIFT_LEFT("LSHL", "Binary"),
  /** Arithmetic right shift by the low bits of the amount, as in Java. */
  SHIFT_RIGHT("ASHR", "Binary"),
  /** Logical right shift by the low bits of the amount, as in Java. */
  SHIFT_RIGHT_LOGICAL("LSHR", "Binary");

  /** The name of the operator in the Vector API. */
  final String operator;

  /** The kind of that operator. */
  final String operatorKind;

  BinaryOperation(String operator, String operatorKind) {
    this.operator = operator;
    this.operatorKind = operatorKind;
  }
}
