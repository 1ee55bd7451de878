package org.hlo4j.builder;

import java.util.Collections;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;

/** The unary element-wise ops of a handle. The result has the operand's sizes. */
abstract class UnaryOps {
  /** Returns the builder the handle belongs to. */
  abstract XlaBuilder owner();

  private XlaOp unary(Kind kind) {
    return owner().apply(new Elementwise(kind), Collections.singletonList((XlaOp) this));
  }

  /**
   * Absolute value, of the component type for complex numbers: a signed integer, float or complex
   * operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp abs() {
    return unary(Kind.ABS);
  }

  /**
   * Arc cosine of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp acos() {
    return unary(Kind.ACOS);
  }

  /**
   * Inverse hyperbolic cosine of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp acosh() {
    return unary(Kind.ACOSH);
  }

  /**
   * Arc sine of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp asin() {
    return unary(Kind.ASIN);
  }

  /**
   * Inverse hyperbolic sine of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp asinh() {
    return unary(Kind.ASINH);
  }

  /**
   * Arc tangent of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp atan() {
    return unary(Kind.ATAN);
  }

  /**
   * Inverse hyperbolic tangent of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp atanh() {
    return unary(Kind.ATANH);
  }

  /**
   * Cube root of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp cbrt() {
    return unary(Kind.CBRT);
  }

  /**
   * Rounds a float operand up.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp ceil() {
    return unary(Kind.CEIL);
  }

  /**
   * Number of zero bits above the highest one of an integer operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp clz() {
    return unary(Kind.COUNT_LEADING_ZEROS);
  }

  /**
   * Complex conjugate, as complex(real, negate(imag)), of a complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp conj() {
    return owner()
        .guarded(Collections.singletonList((XlaOp) this), () -> real().complex(imag().neg()));
  }

  /**
   * Cosine of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp cos() {
    return unary(Kind.COSINE);
  }

  /**
   * Hyperbolic cosine of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp cosh() {
    return unary(Kind.COSH);
  }

  /**
   * Error function of a float operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp erf() {
    return unary(Kind.ERF);
  }

  /**
   * e to the power of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp exp() {
    return unary(Kind.EXPONENTIAL);
  }

  /**
   * e to the power of a float or complex operand, minus one, accurate near 0.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp expm1() {
    return unary(Kind.EXPONENTIAL_MINUS_ONE);
  }

  /**
   * Rounds a float operand down.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp floor() {
    return unary(Kind.FLOOR);
  }

  /**
   * Imaginary part, of the component type; 0 for a float operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp imag() {
    return unary(Kind.IMAG);
  }

  /**
   * Returns whether each element of a float operand is neither infinite nor NaN; pred.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp isFinite() {
    return unary(Kind.IS_FINITE);
  }

  /**
   * Natural logarithm of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp log() {
    return unary(Kind.LOG);
  }

  /**
   * Natural logarithm of one plus a float or complex operand, accurate near 0.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp log1p() {
    return unary(Kind.LOG_PLUS_ONE);
  }

  /**
   * 1 / (1 + exp(-x)) of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp logistic() {
    return unary(Kind.LOGISTIC);
  }

  /**
   * Negative of an integer, float or complex operand; integers wrap.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp neg() {
    return unary(Kind.NEGATE);
  }

  /**
   * Bitwise not of an integer or pred operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp not() {
    return unary(Kind.NOT);
  }

  /**
   * Number of one bits of an integer operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp populationCount() {
    return unary(Kind.POPCNT);
  }

  /**
   * Real part, of the component type, of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp real() {
    return unary(Kind.REAL);
  }

  /**
   * Rounds a float operand to the nearest integer, halves away from zero.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp round() {
    return unary(Kind.ROUND_NEAREST_AFZ);
  }

  /**
   * Rounds a float operand to the nearest integer, halves to even.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp roundNearestEven() {
    return unary(Kind.ROUND_NEAREST_EVEN);
  }

  /**
   * 1 / sqrt(x) of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp rsqrt() {
    return unary(Kind.RSQRT);
  }

  /**
   * -1, 0 or 1 for a signed integer or float operand, keeping NaN and signed zero; x / |x| for
   * complex.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp sign() {
    return unary(Kind.SIGN);
  }

  /**
   * Sine of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp sin() {
    return unary(Kind.SINE);
  }

  /**
   * Hyperbolic sine of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp sinh() {
    return unary(Kind.SINH);
  }

  /**
   * Square root of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp sqrt() {
    return unary(Kind.SQRT);
  }

  /**
   * Tangent of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp tan() {
    return unary(Kind.TAN);
  }

  /**
   * Hyperbolic tangent of a float or complex operand.
   *
   * @return the op
   * @throws HloException if the element type is another
   */
  public XlaOp tanh() {
    return unary(Kind.TANH);
  }
}
