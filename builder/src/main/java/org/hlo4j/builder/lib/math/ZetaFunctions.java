package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.equal;
import static org.hlo4j.builder.lib.common.Floats.greater;
import static org.hlo4j.builder.lib.common.Floats.less;
import static org.hlo4j.builder.lib.common.Floats.minus;
import static org.hlo4j.builder.lib.common.Floats.nanWhere;
import static org.hlo4j.builder.lib.common.Floats.orElse;
import static org.hlo4j.builder.lib.common.Floats.plus;
import static org.hlo4j.builder.lib.common.Floats.times;

import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Floats;

/** Hurwitz's zeta function and the derivatives of digamma, in f32 or f64. */
final class ZetaFunctions {
  /** B(2k) / (2k)! for k from 1 to 12. */
  private static final double[] EULER_MACLAURIN = {
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07,
    2.08767569878681e-08, -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13,
    8.586062056277845e-15, -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19,
  };

  private static final int TERMS = 10;

  private ZetaFunctions() {}

  /** Returns the sum of (q + k)^-x over all k from 0 on. */
  static XlaOp zeta(XlaOp x, XlaOp q) {
    XlaOp whole = q.floor();
    XlaOp isWhole = whole.eq(q);
    XlaOp isLeft = less(q, 0).and(isWhole.not());
    XlaOp positive = ofPositive(x, isLeft.select(q.sub(whole), q));
    XlaOp value = isLeft.select(positive.add(belowZero(x, q)), positive);
    XlaOp isPole = equal(x, 1).or(less(q, 0.5).and(isWhole));
    XlaOp withPoles = isPole.select(x.fullLike(Double.POSITIVE_INFINITY), value);
    XlaOp outside = less(x, 1).or(isLeft.and(x.floor().ne(x)));
    return nanWhere(outside.or(x.ne(x)).or(q.ne(q)), withPoles);
  }

  /**
   * Returns the terms of negative base: with q = -n + f these are (-1)^x times the sum of (j -
   * f)^-x for j from 1 to n, the difference of two zeta functions.
   */
  private static XlaOp belowZero(XlaOp x, XlaOp q) {
    XlaOp f = q.sub(q.floor());
    XlaOp sum = ofPositive(x, minus(1, f)).sub(ofPositive(x, minus(1, q)));
    return isEven(x).select(sum, sum.neg());
  }

  private static XlaOp isEven(XlaOp x) {
    XlaOp half = times(x, 0.5);
    return half.floor().eq(half);
  }

  /** For q above 0: the first terms, and for the others Euler and Maclaurin's formula. */
  private static XlaOp ofPositive(XlaOp x, XlaOp q) {
    XlaOp minusX = x.neg();
    XlaOp sum = q.pow(minusX);
    for (int k = 1; k < TERMS; k++) {
      sum = sum.add(plus(q, k).pow(minusX));
    }
    XlaOp a = plus(q, TERMS);
    XlaOp power = a.pow(minusX);
    XlaOp integral = a.pow(minus(1, x)).div(plus(x, -1));
    XlaOp rest = integral.add(times(power, 0.5)).add(corrections(x, a, power));
    return sum.add(orElse(greater(power, 0).or(greater(integral, 0)), rest, 0));
  }

  /** Returns the sum of B(2k) / (2k)! x (x + 1) ... (x + 2k - 2) a^(-x - 2k + 1). */
  private static XlaOp corrections(XlaOp x, XlaOp a, XlaOp power) {
    XlaOp factor = power.mul(x).div(a);
    XlaOp sum = times(factor, EULER_MACLAURIN[0]);
    for (int k = 1; k < EULER_MACLAURIN.length; k++) {
      factor = factor.mul(plus(x, 2 * k - 1).div(a)).mul(plus(x, 2 * k).div(a));
      sum = sum.add(times(factor, EULER_MACLAURIN[k]));
    }
    return orElse(greater(power, 0), sum, 0);
  }

  /** (-1)^(n + 1) n! zeta(n + 1, x); the product by logarithms where n! overflows. */
  static XlaOp polygamma(XlaOp n, XlaOp x) {
    XlaOp next = plus(n, 1);
    XlaOp zeta = zeta(next, x);
    XlaOp logFactorial = GammaFunctions.lgamma(next);
    XlaOp factorial = logFactorial.exp();
    XlaOp plain = factorial.mul(zeta);
    XlaOp byLogarithms = Floats.withSign(logFactorial.add(zeta.abs().log()).exp(), zeta);
    XlaOp isHuge = equal(factorial, Double.POSITIVE_INFINITY);
    XlaOp magnitude = isHuge.select(byLogarithms, plain);
    XlaOp signed = isEven(n).select(magnitude.neg(), magnitude);
    XlaOp value = equal(n, 0).select(GammaFunctions.digamma(x), signed);
    return nanWhere(less(n, 0).or(n.floor().ne(n)), value);
  }
}
