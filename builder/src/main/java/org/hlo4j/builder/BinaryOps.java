package org.hlo4j.builder;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;

/**
 * The binary element-wise ops of a handle. Both operands have the same element type; the result has
 * the shape of {@link org.hlo4j.hlo.op.Broadcasting#binary}.
 */
abstract class BinaryOps extends UnaryOps {
  private XlaOp binary(Kind kind, XlaOp rhs, Dims broadcastDimensions) {
    return Binary.apply(new Elementwise(kind), (XlaOp) this, rhs, broadcastDimensions);
  }

  private XlaOp binary(Kind kind, XlaOp rhs) {
    return PolicyLowering.applyDefault(new Elementwise(kind), (XlaOp) this, rhs);
  }

  /**
   * Sum; integers wrap, pred is or'ed. Any element type.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp add(XlaOp rhs) {
    return binary(Kind.ADD, rhs);
  }

  /**
   * The same as {@link #add(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp add(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.ADD, rhs, broadcastDimensions);
  }

  /**
   * Bitwise and of integers or pred.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp and(XlaOp rhs) {
    return binary(Kind.AND, rhs);
  }

  /**
   * The same as {@link #and(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp and(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.AND, rhs, broadcastDimensions);
  }

  /**
   * Angle of the point (rhs, this) of floats or complex numbers.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp atan2(XlaOp rhs) {
    return binary(Kind.ATAN2, rhs);
  }

  /**
   * The same as {@link #atan2(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp atan2(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.ATAN2, rhs, broadcastDimensions);
  }

  /**
   * Complex numbers of this real and rhs imaginary part, both f32 (to c64) or f64 (to c128).
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp complex(XlaOp rhs) {
    return binary(Kind.MAKE_COMPLEX, rhs);
  }

  /**
   * The same as {@link #complex(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp complex(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.MAKE_COMPLEX, rhs, broadcastDimensions);
  }

  /**
   * Quotient; integers truncate, by zero give all ones. Any element type but pred.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp div(XlaOp rhs) {
    return binary(Kind.DIVIDE, rhs);
  }

  /**
   * The same as {@link #div(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp div(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.DIVIDE, rhs, broadcastDimensions);
  }

  /**
   * Returns the greater; NaN if either is. Any element type, complex numbers lexicographically.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp max(XlaOp rhs) {
    return binary(Kind.MAXIMUM, rhs);
  }

  /**
   * The same as {@link #max(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp max(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.MAXIMUM, rhs, broadcastDimensions);
  }

  /**
   * Returns the lesser; NaN if either is. Any element type, complex numbers lexicographically.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp min(XlaOp rhs) {
    return binary(Kind.MINIMUM, rhs);
  }

  /**
   * The same as {@link #min(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp min(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.MINIMUM, rhs, broadcastDimensions);
  }

  /**
   * Product; integers wrap, pred is and'ed. Any element type.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp mul(XlaOp rhs) {
    return binary(Kind.MULTIPLY, rhs);
  }

  /**
   * The same as {@link #mul(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp mul(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.MULTIPLY, rhs, broadcastDimensions);
  }

  /**
   * Upper half of the double-width product of integers.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp mulhi(XlaOp rhs) {
    return binary(Kind.MULHI, rhs);
  }

  /**
   * The same as {@link #mulhi(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp mulhi(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.MULHI, rhs, broadcastDimensions);
  }

  /**
   * Bitwise or of integers or pred.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp or(XlaOp rhs) {
    return binary(Kind.OR, rhs);
  }

  /**
   * The same as {@link #or(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp or(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.OR, rhs, broadcastDimensions);
  }

  /**
   * Returns this to the power of rhs. Any element type but pred.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp pow(XlaOp rhs) {
    return binary(Kind.POWER, rhs);
  }

  /**
   * The same as {@link #pow(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp pow(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.POWER, rhs, broadcastDimensions);
  }

  /**
   * Remainder with the sign of this, of integers or floats; by zero, an integer gives itself, a
   * float NaN.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp rem(XlaOp rhs) {
    return binary(Kind.REMAINDER, rhs);
  }

  /**
   * The same as {@link #rem(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp rem(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.REMAINDER, rhs, broadcastDimensions);
  }

  /**
   * Integers shifted left by rhs bits; 0 from the width on.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp shiftLeft(XlaOp rhs) {
    return binary(Kind.SHIFT_LEFT, rhs);
  }

  /**
   * The same as {@link #shiftLeft(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp shiftLeft(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.SHIFT_LEFT, rhs, broadcastDimensions);
  }

  /**
   * Integers shifted right by rhs bits, copies of the sign bit coming in.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp shiftRightArithmetic(XlaOp rhs) {
    return binary(Kind.SHIFT_RIGHT_ARITHMETIC, rhs);
  }

  /**
   * The same as {@link #shiftRightArithmetic(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp shiftRightArithmetic(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.SHIFT_RIGHT_ARITHMETIC, rhs, broadcastDimensions);
  }

  /**
   * Integers shifted right by rhs bits, zeros coming in.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp shiftRightLogical(XlaOp rhs) {
    return binary(Kind.SHIFT_RIGHT_LOGICAL, rhs);
  }

  /**
   * The same as {@link #shiftRightLogical(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp shiftRightLogical(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.SHIFT_RIGHT_LOGICAL, rhs, broadcastDimensions);
  }

  /**
   * Difference; integers wrap. Any element type but pred.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp sub(XlaOp rhs) {
    return binary(Kind.SUBTRACT, rhs);
  }

  /**
   * The same as {@link #sub(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp sub(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.SUBTRACT, rhs, broadcastDimensions);
  }

  /**
   * Bitwise exclusive or of integers or pred.
   *
   * @param rhs the other operand: of the same rank, sizes equal or 1, or a scalar, or this is one
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp xor(XlaOp rhs) {
    return binary(Kind.XOR, rhs);
  }

  /**
   * The same as {@link #xor(XlaOp)}, for operands of different rank.
   *
   * @param rhs the other operand
   * @param broadcastDimensions for each dimension of the operand of lower rank, the dimension of
   *     the other that it is, strictly increasing
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp xor(XlaOp rhs, Dims broadcastDimensions) {
    return binary(Kind.XOR, rhs, broadcastDimensions);
  }
}
