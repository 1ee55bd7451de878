package org.hlo4j.builder.lib.common;

import static org.hlo4j.builder.lib.common.Checks.require;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/** The helpers that functions of floats share: types, arithmetic with scalars, and polynomials. */
public final class Floats {
  private Floats() {}

  /**
   * Returns a scalar of the element type of an array.
   *
   * @param prototype the array
   * @param value a {@code Boolean} or a {@code Number}
   * @return the constant
   */
  public static XlaOp scalarLike(XlaOp prototype, Object value) {
    Shape.Array scalar = Shape.of(prototype.arrayShape().elementType());
    return prototype.builder().constant(Literal.full(scalar, value));
  }

  /**
   * Throws unless all operands are float arrays of the same shape.
   *
   * @param function the name of the calling function
   * @param operands the operands
   * @return the element type
   */
  public static ElementType requireFloats(String function, List<XlaOp> operands) {
    Shape first = operands.get(0).shape();
    for (XlaOp operand : operands) {
      require(
          operand.shape() instanceof Shape.Array array && array.elementType().isFloating(),
          "",
          "%s: %s got %s, want an array of floats",
          function,
          operand.name(),
          operand.shape());
      require(
          operand.shape().equals(first),
          "",
          "%s: %s got %s, want the shape of %s, %s",
          function,
          operand.name(),
          operand.shape(),
          operands.get(0).name(),
          first);
    }
    return ((Shape.Array) first).elementType();
  }

  /**
   * Computes floats of fewer bits than f32 in f32, as XLA does, and rounds the result.
   *
   * @param function the name of the calling function
   * @param x an array of floats
   * @param body the function to compute
   * @return the result, of the element type of the operands
   */
  public static XlaOp wide(String function, XlaOp x, UnaryOperator<XlaOp> body) {
    return wide(function, List.of(x), in -> body.apply(in.get(0)));
  }

  /**
   * Computes floats of fewer bits than f32 in f32, as XLA does, and rounds the result.
   *
   * @param function the name of the calling function
   * @param operands the operands
   * @param body the function to compute
   * @return the result, of the element type of the operands
   */
  public static XlaOp wide(
      String function, List<XlaOp> operands, Function<List<XlaOp>, XlaOp> body) {
    ElementType type = requireFloats(function, operands);
    return type == F64 ? body.apply(operands) : in(F32, operands, body);
  }

  /**
   * Computes in another element type, and rounds the result.
   *
   * @param computed the element type to compute in
   * @param operands the operands, all of one element type
   * @param body the function to compute
   * @return the result, of the element type of the operands
   */
  public static XlaOp in(
      ElementType computed, List<XlaOp> operands, Function<List<XlaOp>, XlaOp> body) {
    ElementType type = operands.get(0).arrayShape().elementType();
    if (type == computed) {
      return body.apply(operands);
    }
    List<XlaOp> converted = operands.stream().map(x -> x.convertElementType(computed)).toList();
    return body.apply(converted).convertElementType(type);
  }

  /**
   * Returns whether the elements are f64.
   *
   * @param x an array of floats
   * @return whether the elements are f64
   */
  public static boolean isDouble(XlaOp x) {
    return x.arrayShape().elementType() == F64;
  }

  /**
   * Returns the distance from 1 to the next number of the element type.
   *
   * @param x an array of floats
   * @return the distance from 1 to the next number of the element type
   */
  public static double epsilon(XlaOp x) {
    return Math.scalb(1.0, -x.arrayShape().elementType().mantissaBits());
  }

  /**
   * {@code x + number}.
   *
   * @param x an array of floats
   * @param number a number
   * @return the result
   */
  public static XlaOp plus(XlaOp x, double number) {
    return x.add(scalarLike(x, number));
  }

  /**
   * {@code x * number}.
   *
   * @param x an array of floats
   * @param number a number
   * @return the result
   */
  public static XlaOp times(XlaOp x, double number) {
    return x.mul(scalarLike(x, number));
  }

  /**
   * {@code number - x}.
   *
   * @param number a number
   * @param x an array of floats
   * @return the result
   */
  public static XlaOp minus(double number, XlaOp x) {
    return scalarLike(x, number).sub(x);
  }

  /**
   * {@code number / x}.
   *
   * @param number a number
   * @param x an array of floats
   * @return the result
   */
  public static XlaOp over(double number, XlaOp x) {
    return scalarLike(x, number).div(x);
  }

  /**
   * {@code x < number}.
   *
   * @param x an array of floats
   * @param number a number
   * @return the result
   */
  public static XlaOp less(XlaOp x, double number) {
    return x.lt(scalarLike(x, number));
  }

  /**
   * {@code x > number}.
   *
   * @param x an array of floats
   * @param number a number
   * @return the result
   */
  public static XlaOp greater(XlaOp x, double number) {
    return x.gt(scalarLike(x, number));
  }

  /**
   * {@code x == number}.
   *
   * @param x an array of floats
   * @param number a number
   * @return the result
   */
  public static XlaOp equal(XlaOp x, double number) {
    return x.eq(scalarLike(x, number));
  }

  /**
   * Returns whether x is NaN.
   *
   * @param x an array of floats
   * @return whether x is NaN
   */
  public static XlaOp isNan(XlaOp x) {
    return x.ne(x);
  }

  /**
   * Selects x where the condition holds, and the number elsewhere.
   *
   * @param condition the predicate
   * @param x an array of floats
   * @param other the number
   * @return the result
   */
  public static XlaOp orElse(XlaOp condition, XlaOp x, double other) {
    return condition.select(x, x.fullLike(other));
  }

  /**
   * Selects NaN where the condition holds, and x elsewhere.
   *
   * @param condition the predicate
   * @param x an array of floats
   * @return the result
   */
  public static XlaOp nanWhere(XlaOp condition, XlaOp x) {
    return condition.select(x.fullLike(Double.NaN), x);
  }

  /**
   * Returns |magnitude| with the sign of {@code sign}, for zeros too.
   *
   * @param magnitude the magnitude
   * @param sign an array of floats
   * @return the result
   */
  public static XlaOp withSign(XlaOp magnitude, XlaOp sign) {
    XlaOp isNegative = less(sign, 0).or(less(over(1, sign), 0));
    return isNegative.select(magnitude.abs().neg(), magnitude.abs());
  }

  /**
   * Evaluates a polynomial by Horner's rule, with the coefficient of the highest power first.
   *
   * @param x an array of floats
   * @param coefficients the coefficients
   * @return the value of the polynomial
   */
  public static XlaOp polynomial(XlaOp x, double... coefficients) {
    XlaOp sum = x.fullLike(coefficients.length == 0 ? 0 : coefficients[0]);
    for (int i = 1; i < coefficients.length; i++) {
      sum = plus(sum.mul(x), coefficients[i]);
    }
    return sum;
  }

  /**
   * Returns the coefficients of the lowest degrees that f32 needs; returns all for f64.
   *
   * @param x an array of floats
   * @param forSingle the number that is sufficient for f32
   * @param coefficients the coefficients
   * @return the coefficients for the element type of x
   */
  public static double[] needed(XlaOp x, int forSingle, double... coefficients) {
    int count = coefficients.length;
    return isDouble(x) || count <= forSingle
        ? coefficients
        : Arrays.copyOfRange(coefficients, count - forSingle, count);
  }

  /**
   * Evaluates by Clenshaw's rule {@code c[n-1] / 2 + sum of c[n-1-k] T_k(x / 2)}, with the
   * coefficient of the highest degree first.
   *
   * @param x an array of floats
   * @param coefficients the coefficients
   * @return the value of the series
   */
  public static XlaOp chebyshev(XlaOp x, double... coefficients) {
    XlaOp before = x.zerosLike();
    XlaOp last = x.zerosLike();
    XlaOp beforeLast = x.zerosLike();
    for (double coefficient : coefficients) {
      beforeLast = before;
      before = last;
      last = plus(x.mul(before).sub(beforeLast), coefficient);
    }
    return times(last.sub(beforeLast), 0.5);
  }
}
