package org.hlo4j.builder.lib.common;

import static org.hlo4j.builder.lib.common.Checks.require;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/** What functions of floats have in common: types, scalars beside arrays, and polynomials. */
public final class Floats {
  private Floats() {}

  /**
   * Refuses all but float arrays, and float arrays of different shapes.
   *
   * @param function the name of the function that asks
   * @param operands the operands
   * @return refuses all but float arrays, and float arrays of different shapes
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
   * Computes in f32 what has fewer bits, as XLA does, and rounds the result.
   *
   * @param function the name of the function that asks
   * @param x an array of floats
   * @param body computes
   * @return computes in f32 what has fewer bits, as XLA does, and rounds the result
   */
  public static XlaOp wide(String function, XlaOp x, UnaryOperator<XlaOp> body) {
    return wide(function, List.of(x), in -> body.apply(in.get(0)));
  }

  /**
   * Computes in f32 what has fewer bits, as XLA does, and rounds the result.
   *
   * @param function the name of the function that asks
   * @param operands the operands
   * @param body computes
   * @return computes in f32 what has fewer bits, as XLA does, and rounds the result
   */
  public static XlaOp wide(
      String function, List<XlaOp> operands, Function<List<XlaOp>, XlaOp> body) {
    ElementType type = requireFloats(function, operands);
    if (type == F32 || type == F64) {
      return body.apply(operands);
    }
    List<XlaOp> wide = operands.stream().map(x -> x.convertElementType(F32)).toList();
    return body.apply(wide).convertElementType(type);
  }

  /**
   * Whether the elements are f64.
   *
   * @param x an array of floats
   * @return whether the elements are f64
   */
  public static boolean isDouble(XlaOp x) {
    return x.arrayShape().elementType() == F64;
  }

  /**
   * The distance from 1 to the next number of the element type.
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
    return x.add(Constants.scalarLike(x, number));
  }

  /**
   * {@code x * number}.
   *
   * @param x an array of floats
   * @param number a number
   * @return the result
   */
  public static XlaOp times(XlaOp x, double number) {
    return x.mul(Constants.scalarLike(x, number));
  }

  /**
   * {@code number - x}.
   *
   * @param number a number
   * @param x an array of floats
   * @return the result
   */
  public static XlaOp minus(double number, XlaOp x) {
    return Constants.scalarLike(x, number).sub(x);
  }

  /**
   * {@code number / x}.
   *
   * @param number a number
   * @param x an array of floats
   * @return the result
   */
  public static XlaOp over(double number, XlaOp x) {
    return Constants.scalarLike(x, number).div(x);
  }

  /**
   * {@code x < number}.
   *
   * @param x an array of floats
   * @param number a number
   * @return the result
   */
  public static XlaOp less(XlaOp x, double number) {
    return x.lt(Constants.scalarLike(x, number));
  }

  /**
   * {@code x > number}.
   *
   * @param x an array of floats
   * @param number a number
   * @return the result
   */
  public static XlaOp greater(XlaOp x, double number) {
    return x.gt(Constants.scalarLike(x, number));
  }

  /**
   * {@code x == number}.
   *
   * @param x an array of floats
   * @param number a number
   * @return the result
   */
  public static XlaOp equal(XlaOp x, double number) {
    return x.eq(Constants.scalarLike(x, number));
  }

  /**
   * Whether x is NaN.
   *
   * @param x an array of floats
   * @return whether x is NaN
   */
  public static XlaOp isNan(XlaOp x) {
    return x.ne(x);
  }

  /**
   * x where the condition holds, else other everywhere.
   *
   * @param condition where
   * @param x an array of floats
   * @param other the number
   * @return x where the condition holds, else other everywhere
   */
  public static XlaOp orElse(XlaOp condition, XlaOp x, double other) {
    return condition.select(x, x.fullLike(other));
  }

  /**
   * NaN where the condition holds, else x.
   *
   * @param condition where
   * @param x an array of floats
   * @return naN where the condition holds, else x
   */
  public static XlaOp nanWhere(XlaOp condition, XlaOp x) {
    return condition.select(x.fullLike(Double.NaN), x);
  }

  /**
   * |magnitude| with the sign of sign, zeros too.
   *
   * @param magnitude the magnitude
   * @param sign an array of floats
   * @return |magnitude| with the sign of sign, zeros too
   */
  public static XlaOp withSign(XlaOp magnitude, XlaOp sign) {
    XlaOp isNegative = less(sign, 0).or(less(over(1, sign), 0));
    return isNegative.select(magnitude.abs().neg(), magnitude.abs());
  }

  /**
   * Horner's rule, the coefficient of the highest power first.
   *
   * @param x an array of floats
   * @param coefficients the coefficients
   * @return horner's rule, the coefficient of the highest power first
   */
  public static XlaOp polynomial(XlaOp x, double... coefficients) {
    XlaOp sum = x.fullLike(coefficients.length == 0 ? 0 : coefficients[0]);
    for (int i = 1; i < coefficients.length; i++) {
      sum = plus(sum.mul(x), coefficients[i]);
    }
    return sum;
  }

  /**
   * As many coefficients of the lowest degrees as f32 has use for; for f64 all.
   *
   * @param x an array of floats
   * @param forSingle how many are enough for f32
   * @param coefficients the coefficients
   * @return as many coefficients of the lowest degrees as f32 has use for; for f64 all
   */
  public static double[] needed(XlaOp x, int forSingle, double... coefficients) {
    int count = coefficients.length;
    return isDouble(x) || count <= forSingle
        ? coefficients
        : Arrays.copyOfRange(coefficients, count - forSingle, count);
  }

  /**
   * Clenshaw's rule for {@code c[n-1] / 2 + sum of c[n-1-k] T_k(x / 2)}, the coefficient of the
   * highest degree first.
   *
   * @param x an array of floats
   * @param coefficients the coefficients
   * @return clenshaw's rule for {@code c[n-1] / 2 + sum of c[n-1-k] T_k(x / 2)}, the coefficient of
   *     the highest degree first
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
