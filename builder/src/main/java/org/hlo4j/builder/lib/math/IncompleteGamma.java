package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.equal;
import static org.hlo4j.builder.lib.common.Floats.greater;
import static org.hlo4j.builder.lib.common.Floats.isNan;
import static org.hlo4j.builder.lib.common.Floats.less;
import static org.hlo4j.builder.lib.common.Floats.minus;
import static org.hlo4j.builder.lib.common.Floats.nanWhere;
import static org.hlo4j.builder.lib.common.Floats.orElse;
import static org.hlo4j.builder.lib.common.Floats.over;
import static org.hlo4j.builder.lib.common.Floats.plus;
import static org.hlo4j.builder.lib.common.Floats.times;

import java.util.List;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.builder.lib.common.Floats;

/**
 * The regularized incomplete gamma functions P and Q of a and x, and the derivative of P by a, in
 * f32 or f64.
 *
 * <p>A power series for P where x is small (DLMF 8.7.1), a continued fraction for Q elsewhere (DLMF
 * 8.9.2, by Lentz's method), each with its derivative; {@link LargeGamma} where a is large and x
 * near.
 */
final class IncompleteGamma {
  private static final double TINY = 1e-30;

  private final XlaOp a;
  private final XlaOp x;
  private final XlaOp isSmall;
  private final XlaOp usesFraction;
  private final XlaOp density; // x^a e^-x / gamma(a)
  private final Iteration series;
  private final Iteration fraction;
  private final LargeGamma large;

  IncompleteGamma(XlaOp a, XlaOp x) {
    this.a = a;
    this.x = x;
    isSmall = isSmall();
    usesFraction = greater(x, 1).and(x.gt(a));
    density = Deviance.gammaDensity(a, x);
    large = new LargeGamma(a, x);
    XlaOp iterates = greater(a, 0).and(greater(x, 0)).and(isSmall).and(x.isFinite());
    series = series(a, x, iterates.and(usesFraction.not()));
    fraction = fraction(a, x, iterates.and(usesFraction));
  }

  /** Returns where the series and the fraction converge fast enough. */
  private XlaOp isSmall() {
    XlaOp isFar = less(x.sub(a).div(a).abs(), Deviance.NEAR).not();
    return a.le(Constants.scalarLike(a, LargeGamma.FROM)).or(isFar);
  }

  /**
   * Returns the sum of c(n) = x^n / ((a + 1) ... (a + n)) from n = 0 on, and its derivative by a.
   */
  private static Iteration series(XlaOp a, XlaOp x, XlaOp starts) {
    XlaOp one = x.fullLike(1);
    XlaOp zero = x.zerosLike();
    return Iteration.run(
        starts,
        List.of(a, x),
        List.of(one, one, zero, zero),
        (n, in, v) -> {
          XlaOp next = in.get(0).add(n);
          XlaOp ratio = in.get(1).div(next);
          XlaOp term = v.get(1).mul(ratio);
          XlaOp derivative = ratio.mul(v.get(3).sub(v.get(1).div(next)));
          XlaOp sum = v.get(0).add(term);
          XlaOp derivatives = v.get(2).add(derivative);
          XlaOp goesOn = isLarge(term, sum).or(isLarge(derivative, derivatives));
          return new Iteration.Step(goesOn, List.of(sum, term, derivatives, derivative));
        });
  }

  private static XlaOp isLarge(XlaOp change, XlaOp value) {
    return change.abs().gt(times(value.abs(), Floats.epsilon(value)));
  }

  /** h = 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)) and its derivative by a. */
  private static Iteration fraction(XlaOp a, XlaOp x, XlaOp starts) {
    XlaOp inverse = over(1, plus(x, 1).sub(a));
    XlaOp square = inverse.mul(inverse);
    return Iteration.run(
        starts,
        List.of(a, x),
        List.of(inverse, x.fullLike(1 / TINY), inverse, square, x.zerosLike(), square),
        (n, in, v) -> lentz(in.get(0).sub(n), plus(in.get(1), 1).sub(in.get(0)), n, v));
  }

  /**
   * Returns one step with numerator n (a - n), whose derivative is n, and denominator first + 2n,
   * whose derivative is -1.
   */
  private static Iteration.Step lentz(XlaOp aMinusN, XlaOp first, XlaOp n, List<XlaOp> v) {
    XlaOp numerator = aMinusN.mul(n);
    XlaOp denominator = first.add(times(n, 2));
    XlaOp c = v.get(1);
    XlaOp d = v.get(2);
    XlaOp nextD = over(1, notZero(numerator.mul(d).add(denominator)));
    XlaOp dSlope = plus(n.mul(d).add(numerator.mul(v.get(5))), -1);
    XlaOp nextDSlope = dSlope.mul(nextD).mul(nextD).neg();
    XlaOp nextC = notZero(denominator.add(numerator.div(c)));
    XlaOp nextCSlope = plus(n.sub(numerator.mul(v.get(4)).div(c)).div(c), -1);
    XlaOp factor = nextC.mul(nextD);
    XlaOp factorSlope = nextCSlope.mul(nextD).add(nextC.mul(nextDSlope));
    XlaOp h = v.get(0).mul(factor);
    XlaOp hSlope = v.get(3).mul(factor).add(v.get(0).mul(factorSlope));
    XlaOp goesOn = isLarge(h.sub(v.get(0)), h).or(isLarge(hSlope.sub(v.get(3)), hSlope));
    return new Iteration.Step(goesOn, List.of(h, nextC, nextD, hSlope, nextCSlope, nextDSlope));
  }

  private static XlaOp notZero(XlaOp value) {
    return orElse(less(value.abs(), TINY).not(), value, TINY);
  }

  private XlaOp lowerBySeries() {
    return density.mul(series.values().get(0)).div(a);
  }

  private XlaOp upperByFraction() {
    return density.mul(fraction.values().get(0));
  }

  XlaOp lower() {
    XlaOp small = usesFraction.select(minus(1, upperByFraction()), lowerBySeries());
    return inDomain(isSmall.select(small, large.lower()), 0, 1);
  }

  XlaOp upper() {
    XlaOp small = usesFraction.select(upperByFraction(), minus(1, lowerBySeries()));
    return inDomain(isSmall.select(small, large.upper()), 1, 0);
  }

  XlaOp derivative() {
    XlaOp bySeries = density.mul(seriesDerivative()).div(a);
    XlaOp byFraction = density.mul(fractionDerivative()).neg();
    XlaOp small = usesFraction.select(byFraction, bySeries);
    XlaOp value = isSmall.select(small, large.derivative());
    return inDomain(orElse(isZeroDensity().not(), value, 0), 0, 0);
  }

  private XlaOp isZeroDensity() {
    return equal(density, 0).and(isSmall);
  }

  /** Returns the derivative of x^a / gamma(a + 1) S, over x^a / gamma(a + 1). */
  private XlaOp seriesDerivative() {
    XlaOp logarithm = Deviance.logMinusDigammaOfNext(a, x);
    return series.values().get(0).mul(logarithm).add(series.values().get(2));
  }

  private XlaOp fractionDerivative() {
    XlaOp logarithm = Deviance.logMinusDigamma(a, x);
    return fraction.values().get(0).mul(logarithm).add(fraction.values().get(3));
  }

  /** Minus the derivative of P by a over that by x, density / x. */
  XlaOp sampleDerivative() {
    XlaOp bySeries = x.div(a).mul(seriesDerivative()).neg();
    XlaOp small = usesFraction.select(x.mul(fractionDerivative()), bySeries);
    XlaOp value = isSmall.select(small, large.sampleDerivative());
    return inDomain(value, 0, Double.POSITIVE_INFINITY);
  }

  /**
   * Handles the limits at x = 0, which are also those of infinite a, and at infinite x; gives NaN
   * outside the domain and where the iteration did not converge.
   */
  private XlaOp inDomain(XlaOp value, double atZero, double atInfinity) {
    double infinity = Double.POSITIVE_INFINITY;
    XlaOp isLeast = equal(x, 0).or(equal(a, infinity));
    XlaOp bounded = orElse(equal(x, infinity).not(), value, atInfinity);
    XlaOp outside = less(a, 0).or(equal(a, 0)).or(less(x, 0)).or(isNan(a)).or(isNan(x));
    XlaOp bothInfinite = equal(a, infinity).and(equal(x, infinity));
    XlaOp gaveUp = series.goesOn().or(fraction.goesOn());
    return nanWhere(outside.or(bothInfinite).or(gaveUp), orElse(isLeast.not(), bounded, atZero));
  }
}
