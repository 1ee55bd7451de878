package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.wide;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.hlo4j.builder.Composite;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.builder.lib.common.Floats;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CompositeFunction;

/**
 * Functions without an op in XLA, composed of ops that every XLA backend supports, as in XLA's
 * {@code lib/math.h}.
 *
 * <p>Operands are arrays of floats; several operands have the same shape. Floats of fewer bits than
 * f32 are computed in f32 and rounded. The error bounds given here are those of the reference
 * evaluator; on another backend the errors of its exponentials and logarithms are added. In f32 and
 * f64, u is the distance from 1 to the next number of the type.
 *
 * <p>The functions of {@link CompositeFunction} are calls that carry their names. Their bounds are
 * those of f64; f32 and narrower types are computed in f64 and rounded once, which is correct but
 * for about one of 10,000 results, whose exact values are next to the middle of two numbers.
 *
 * <p>The inverse trigonometric and hyperbolic functions differ from the methods of the same name of
 * {@link XlaOp} in that those are one op each, rounded once, which XLA's CPU backend does not yet
 * run; complex operands are handed to those.
 */
public final class XlaMath {
  private XlaMath() {}

  /**
   * Returns whether an element is positive infinity.
   *
   * @param x an array of floats
   * @return the op, pred, of the sizes of x
   * @throws HloException if the operand is not an array of floats
   */
  public static XlaOp isPosInf(XlaOp x) {
    return only("isPosInf", x, v -> Floats.equal(v, Double.POSITIVE_INFINITY));
  }

  /**
   * Returns whether an element is negative infinity.
   *
   * @param x an array of floats
   * @return the op, pred, of the sizes of x
   * @throws HloException if the operand is not an array of floats
   */
  public static XlaOp isNegInf(XlaOp x) {
    return only("isNegInf", x, v -> Floats.equal(v, Double.NEGATIVE_INFINITY));
  }

  /**
   * Returns whether an element is infinite.
   *
   * @param x an array of floats
   * @return the op, pred, of the sizes of x
   * @throws HloException if the operand is not an array of floats
   */
  public static XlaOp isInf(XlaOp x) {
    return only("isInf", x, v -> Floats.equal(v.abs(), Double.POSITIVE_INFINITY));
  }

  /**
   * Returns whether an element is not a number.
   *
   * @param x an array of floats
   * @return the op, pred, of the sizes of x
   * @throws HloException if the operand is not an array of floats
   */
  public static XlaOp isNan(XlaOp x) {
    return only("isNan", x, Floats::isNan);
  }

  /**
   * Returns whether an element is zero with the sign of negative numbers.
   *
   * @param x an array of floats
   * @return the op, pred, of the sizes of x
   * @throws HloException if the operand is not an array of floats
   */
  public static XlaOp isNegZero(XlaOp x) {
    return only("isNegZero", x, NextAfter::isNegZero);
  }

  /**
   * Returns the next number after one in the direction of another; if they are equal, the other.
   * NaN if one is.
   *
   * @param from an array of bf16, f16, f32 or f64
   * @param to an array of the same shape
   * @return the op, of the shape of the operands
   * @throws HloException if the element type is another, or the shapes differ
   */
  public static XlaOp nextAfter(XlaOp from, XlaOp to) {
    Floats.requireFloats("nextAfter", List.of(from, to));
    return NextAfter.of(from, to);
  }

  /**
   * x times x. Of complex numbers, the parts are (re - im) (re + im) and 2 re im, so that the
   * square of a number with one infinite part has no NaN.
   *
   * @param x an array of numbers
   * @return the op, of the shape of x
   * @throws HloException if the operand is not an array of numbers
   */
  public static XlaOp square(XlaOp x) {
    return x.shape() instanceof Shape.Array array && array.elementType().isComplex()
        ? Elementary.complexSquare(x)
        : x.mul(x);
  }

  /**
   * 1 / x.
   *
   * @param x an array of numbers
   * @return the op, of the shape of x
   * @throws HloException if the operand is not an array of numbers
   */
  public static XlaOp reciprocal(XlaOp x) {
    return Constants.scalarLike(x, 1).div(x);
  }

  /**
   * Returns the nearest integer, ties to even.
   *
   * @param x an array of floats
   * @return the op, of the shape of x
   * @throws HloException if the operand is not an array of floats
   */
  public static XlaOp roundToEven(XlaOp x) {
    return x.roundNearestEven();
  }

  /**
   * 1 - erf(x) without the cancellation: within 4 u relative where that is a normal number. See
   * also {@link XlaOp#erf}. A composite call, as all functions of {@link CompositeFunction}.
   *
   * @param x an array of floats
   * @return the op, of the shape of x
   * @throws HloException if the operand is not an array of floats
   */
  public static XlaOp erfc(XlaOp x) {
    return composite("erfc", CompositeFunction.ERFC, x, ErrorFunctions::erfc);
  }

  /**
   * Returns the number whose error function is x: infinite at -1 and 1, NaN beyond; within 4 u
   * relative.
   *
   * @param x an array of floats
   * @return the op, of the shape of x
   * @throws HloException if the operand is not an array of floats
   */
  public static XlaOp erfInv(XlaOp x) {
    return composite("erfInv", CompositeFunction.ERF_INV, x, ErrorFunctions::erfInv);
  }

  /**
   * log(|gamma(x)|): infinite at 0 and the negative integers; for x above -1/2 within 4 u relative,
   * below within 4 u times max(1, |x| log |x|).
   *
   * @param x an array of floats
   * @return the op, of the shape of x
   * @throws HloException if the operand is not an array of floats
   */
  public static XlaOp lgamma(XlaOp x) {
    return composite(
        "lgamma",
        CompositeFunction.LGAMMA,
        x,
        0,
        GammaFunctions::lgamma,
        GammaFunctions::lgammaOfPositive);
  }

  /**
   * Returns the derivative of log(gamma(x)): NaN at 0 and the negative integers; for x above 0
   * within 4 u relative, below within 4 u times max(1, log |x|, |digamma(x)|).
   *
   * @param x an array of floats
   * @return the op, of the shape of x
   * @throws HloException if the operand is not an array of floats
   */
  public static XlaOp digamma(XlaOp x) {
    return composite(
        "digamma",
        CompositeFunction.DIGAMMA,
        x,
        0.5,
        GammaFunctions::digamma,
        GammaFunctions::digammaAboveHalf);
  }

  /**
   * Returns the regularized lower incomplete gamma function P(a, x), from 0 to 1; NaN outside its
   * domain.
   *
   * @param a the shape parameter, an array of floats above 0
   * @param x an array of floats, not negative
   * @return the op, of the shape of the operands
   * @throws HloException if an operand is not an array of floats, or the shapes differ
   */
  public static XlaOp igamma(XlaOp a, XlaOp x) {
    return wide("igamma", List.of(a, x), in -> new IncompleteGamma(in.get(0), in.get(1)).lower());
  }

  /**
   * Returns the regularized upper incomplete gamma function Q(a, x) = 1 - P(a, x). Where x is at
   * most 1 or a it is computed so, with an absolute error.
   *
   * @param a the shape parameter, an array of floats above 0
   * @param x an array of floats, not negative
   * @return the op, of the shape of the operands
   * @throws HloException if an operand is not an array of floats, or the shapes differ
   */
  public static XlaOp igammac(XlaOp a, XlaOp x) {
    return wide("igammac", List.of(a, x), in -> new IncompleteGamma(in.get(0), in.get(1)).upper());
  }

  /**
   * Returns the derivative of {@link #igamma} by a.
   *
   * @param a the shape parameter, an array of floats above 0
   * @param x an array of floats, not negative
   * @return the op, of the shape of the operands
   * @throws HloException if an operand is not an array of floats, or the shapes differ
   */
  public static XlaOp igammaGradA(XlaOp a, XlaOp x) {
    return wide(
        "igammaGradA", List.of(a, x), in -> new IncompleteGamma(in.get(0), in.get(1)).derivative());
  }

  /**
   * Returns the derivative by a of a sample x of the gamma distribution: minus the derivative of
   * {@link #igamma} by a, over that by x.
   *
   * @param a the shape parameter, an array of floats above 0
   * @param x an array of floats, not negative
   * @return the op, of the shape of the operands
   * @throws HloException if an operand is not an array of floats, or the shapes differ
   */
  public static XlaOp randomGammaGrad(XlaOp a, XlaOp x) {
    return wide(
        "randomGammaGrad",
        List.of(a, x),
        in -> new IncompleteGamma(in.get(0), in.get(1)).sampleDerivative());
  }

  /**
   * Returns the regularized incomplete beta function I(a, b, x), from 0 to 1. NaN outside its
   * domain, and where the continued fraction has not converged after 2000 steps, for a or b of
   * about a million and more.
   *
   * @param a an array of floats above 0
   * @param b an array of floats above 0
   * @param x an array of floats from 0 to 1
   * @return the op, of the shape of the operands
   * @throws HloException if an operand is not an array of floats, or the shapes differ
   */
  public static XlaOp regularizedIncompleteBeta(XlaOp a, XlaOp b, XlaOp x) {
    return wide(
        "regularizedIncompleteBeta",
        List.of(a, b, x),
        in -> IncompleteBeta.of(in.get(0), in.get(1), in.get(2)));
  }

  /**
   * Returns the derivative of order n of {@link #digamma}; NaN if n is negative or no integer.
   * Within 6 u relative, but next to its zeros.
   *
   * @param n the order, an array of floats
   * @param x an array of floats
   * @return the op, of the shape of the operands
   * @throws HloException if an operand is not an array of floats, or the shapes differ
   */
  public static XlaOp polygamma(XlaOp n, XlaOp x) {
    return composite(
        "polygamma",
        CompositeFunction.POLYGAMMA,
        List.of(n, x),
        (in, digits) -> ZetaFunctions.polygamma(in.get(0), in.get(1), digits));
  }

  /**
   * Hurwitz's zeta function, the sum of (q + k)^-x over all k from 0 on: infinite for x = 1 and
   * where q is 0 or a negative integer, NaN for x below 1, and for negative q unless x is an
   * integer. Within 4 u relative, but next to its zeros.
   *
   * @param x the exponent, an array of floats
   * @param q an array of floats
   * @return the op, of the shape of the operands
   * @throws HloException if an operand is not an array of floats, or the shapes differ
   */
  public static XlaOp zeta(XlaOp x, XlaOp q) {
    return composite(
        "zeta",
        CompositeFunction.ZETA,
        List.of(x, q),
        (in, digits) -> ZetaFunctions.zeta(in.get(0), in.get(1), digits));
  }

  /**
   * exp(-|x|) I0(x), the modified Bessel function of order 0, scaled: within 6 u relative.
   *
   * @param x an array of floats
   * @return the op, of the shape of x
   * @throws HloException if the operand is not an array of floats
   */
  public static XlaOp besselI0e(XlaOp x) {
    return wide("besselI0e", x, BesselFunctions::i0e);
  }

  /**
   * exp(-|x|) I1(x), the modified Bessel function of order 1, scaled: within 4 u relative.
   *
   * @param x an array of floats
   * @return the op, of the shape of x
   * @throws HloException if the operand is not an array of floats
   */
  public static XlaOp besselI1e(XlaOp x) {
    return composite("besselI1e", CompositeFunction.BESSEL_I1E, x, BesselFunctions::i1e);
  }

  /**
   * Returns the inverse cosine, from 0 to pi; NaN if x is beyond -1 or 1.
   *
   * @param x an array of floats or complex numbers
   * @return the op, of the shape of x
   * @throws HloException if the operand is no such array
   */
  public static XlaOp acos(XlaOp x) {
    return elementary("acos", x, XlaOp::acos, Elementary::acos);
  }

  /**
   * Returns the inverse sine, from -pi/2 to pi/2; NaN if x is beyond -1 or 1.
   *
   * @param x an array of floats or complex numbers
   * @return the op, of the shape of x
   * @throws HloException if the operand is no such array
   */
  public static XlaOp asin(XlaOp x) {
    return elementary("asin", x, XlaOp::asin, Elementary::asin);
  }

  /**
   * Returns the inverse tangent, from -pi/2 to pi/2.
   *
   * @param x an array of floats or complex numbers
   * @return the op, of the shape of x
   * @throws HloException if the operand is no such array
   */
  public static XlaOp atan(XlaOp x) {
    return elementary("atan", x, XlaOp::atan, Elementary::atan);
  }

  /**
   * Returns the inverse hyperbolic cosine, which is not negative; NaN if x is below 1.
   *
   * @param x an array of floats or complex numbers
   * @return the op, of the shape of x
   * @throws HloException if the operand is no such array
   */
  public static XlaOp acosh(XlaOp x) {
    return elementary("acosh", x, XlaOp::acosh, Elementary::acosh);
  }

  /**
   * Returns the inverse hyperbolic sine.
   *
   * @param x an array of floats or complex numbers
   * @return the op, of the shape of x
   * @throws HloException if the operand is no such array
   */
  public static XlaOp asinh(XlaOp x) {
    return elementary("asinh", x, XlaOp::asinh, Elementary::asinh);
  }

  /**
   * Returns the inverse hyperbolic tangent; NaN if x is beyond -1 or 1.
   *
   * @param x an array of floats or complex numbers
   * @return the op, of the shape of x
   * @throws HloException if the operand is no such array
   */
  public static XlaOp atanh(XlaOp x) {
    return elementary("atanh", x, XlaOp::atanh, Elementary::atanh);
  }

  /**
   * Returns the hyperbolic cosine.
   *
   * @param x an array of floats or complex numbers
   * @return the op, of the shape of x
   * @throws HloException if the operand is no such array
   */
  public static XlaOp cosh(XlaOp x) {
    return elementary("cosh", x, XlaOp::cosh, Elementary::cosh);
  }

  /**
   * Returns the hyperbolic sine.
   *
   * @param x an array of floats or complex numbers
   * @return the op, of the shape of x
   * @throws HloException if the operand is no such array
   */
  public static XlaOp sinh(XlaOp x) {
    return elementary("sinh", x, XlaOp::sinh, Elementary::sinh);
  }

  private static XlaOp composite(
      String name, CompositeFunction function, XlaOp x, BiFunction<XlaOp, Digits, XlaOp> body) {
    return composite(name, function, List.of(x), (in, digits) -> body.apply(in.get(0), digits));
  }

  /** Calls a function that f32 needs as a whole only if an element is less than a number. */
  private static XlaOp composite(
      String name,
      CompositeFunction function,
      XlaOp x,
      double least,
      UnaryOperator<XlaOp> whole,
      UnaryOperator<XlaOp> above) {
    UnaryOperator<XlaOp> ofWide =
        y -> Floats.in(ElementType.F64, List.of(y), in -> whole.apply(in.get(0)));
    UnaryOperator<XlaOp> of =
        Floats.requireFloats(name, List.of(x)) == ElementType.F64
            ? whole
            : y ->
                Branch.either(
                    Floats.less(y, least),
                    y,
                    ofWide,
                    z -> Floats.in(ElementType.F64, List.of(z), in -> above.apply(in.get(0))));
    return x.builder()
        .compositeCall(
            Composite.of(function.compositeName()),
            (b, parameters) -> of.apply(parameters.get(0)),
            x);
  }

  /** Calls a function as one, with a name; it is computed in f64 and rounded once. */
  private static XlaOp composite(
      String name,
      CompositeFunction function,
      List<XlaOp> operands,
      BiFunction<List<XlaOp>, Digits, XlaOp> body) {
    ElementType type = Floats.requireFloats(name, operands);
    Digits digits = type == ElementType.F64 ? Digits.DOUBLE : Digits.GUARDED;
    return operands
        .get(0)
        .builder()
        .compositeCall(
            Composite.of(function.compositeName()),
            (b, parameters) -> Floats.in(ElementType.F64, parameters, in -> body.apply(in, digits)),
            operands.toArray(XlaOp[]::new));
  }

  private static XlaOp elementary(
      String function, XlaOp x, UnaryOperator<XlaOp> ofComplex, UnaryOperator<XlaOp> ofFloat) {
    return isComplex(x) ? ofComplex.apply(x) : wide(function, x, ofFloat);
  }

  private static boolean isComplex(XlaOp x) {
    return x.arrayShape().elementType().isComplex();
  }

  private static XlaOp only(String function, XlaOp x, UnaryOperator<XlaOp> body) {
    Floats.requireFloats(function, List.of(x));
    return body.apply(x);
  }

  /**
   * Returns the conjugate if {@code conjugate} is true and x is complex, else x itself.
   *
   * @param x an array
   * @param conjugate whether to conjugate
   * @return the op, of the shape of x
   * @throws HloException if x is not an array
   */
  public static XlaOp maybeConjugate(XlaOp x, boolean conjugate) {
    return conjugate && isComplex(x) ? x.conj() : x;
  }

  /**
   * {@code c[0] x^(n-1) + ... + c[n-2] x + c[n-1]}.
   *
   * @param x an array of floats
   * @param coefficients the coefficients, that of the highest power first; none for 0
   * @return the op, of the shape of x
   * @throws HloException if x is not an array of floats
   */
  public static XlaOp evaluatePolynomial(XlaOp x, double... coefficients) {
    return only("evaluatePolynomial", x, v -> Floats.polynomial(v, coefficients));
  }

  /**
   * {@code c[0] T(n-1)(x/2) + ... + c[n-2] T1(x/2) + c[n-1] / 2}, Chebyshev's polynomials of half
   * the argument, the last coefficient halved.
   *
   * @param x an array of floats from -2 to 2
   * @param coefficients the coefficients, that of the highest degree first; none for 0
   * @return the op, of the shape of x
   * @throws HloException if x is not an array of floats
   */
  public static XlaOp evaluateChebyshevPolynomial(XlaOp x, double... coefficients) {
    return only("evaluateChebyshevPolynomial", x, v -> Floats.chebyshev(v, coefficients));
  }
}
