package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.equal;
import static org.hlo4j.builder.lib.common.Floats.greater;
import static org.hlo4j.builder.lib.common.Floats.less;
import static org.hlo4j.builder.lib.common.Floats.minus;
import static org.hlo4j.builder.lib.common.Floats.nanWhere;
import static org.hlo4j.builder.lib.common.Floats.orElse;
import static org.hlo4j.builder.lib.common.Floats.plus;
import static org.hlo4j.builder.lib.common.Floats.times;

import java.util.Optional;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Floats;

/** Hurwitz's zeta function and the derivatives of digamma, in f32 or f64. */
final class ZetaFunctions {
  /** Powers of numbers relative to a unit; relative to 1 if there is none. */
  private record Powers(Optional<XlaOp> unit) {
    /** Returns (a / unit)^-x. */
    XlaOp of(XlaOp a, XlaOp x) {
      return unit.map(a::div).orElse(a).pow(x.neg());
    }

    /** Returns the integral of (t / unit)^-x over t from a on. */
    XlaOp integral(XlaOp a, XlaOp x) {
      XlaOp less = plus(x, -1);
      XlaOp integral = of(a, less).div(less);
      return unit.map(integral::mul).orElse(integral);
    }
  }

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
    return zeta(x, q, new Powers(Optional.empty()));
  }

  private static XlaOp zeta(XlaOp x, XlaOp q, Powers powers) {
    XlaOp isWhole = q.floor().eq(q);
    XlaOp isLeft = less(q, 0).and(isWhole.not());
    XlaOp positive = ofPositive(x, isLeft.select(minus(1, q), q), powers);
    XlaOp value = isLeft.select(ofNegative(x, q, positive, powers), positive);
    XlaOp isPole = equal(x, 1).or(less(q, 0.5).and(isWhole));
    XlaOp withPoles = isPole.select(x.fullLike(Double.POSITIVE_INFINITY), value);
    XlaOp outside = less(x, 1).or(isLeft.and(x.floor().ne(x)));
    return nanWhere(outside.or(x.ne(x)).or(q.ne(q)), withPoles);
  }

  /**
   * Returns zeta of a negative q and an integer x from {@code beyond = zeta(x, 1 - q)}. The terms
   * of negative base are {@code (-1)^x (g + j)^-x} with the distance g of q from the integer above
   * it; those of positive base begin at {@code f = 1 - g}. So it is {@code zeta(x, f) + (-1)^x
   * (zeta(x, g) - beyond)}.
   */
  private static XlaOp ofNegative(XlaOp x, XlaOp q, XlaOp beyond, Powers powers) {
    XlaOp g = q.ceil().sub(q);
    XlaOp isEven = isEven(x);
    XlaOp both = ofBoth(x, g.min(minus(1, g)), isEven, powers);
    XlaOp difference = less(g, 0.5).select(both.neg(), both);
    return isEven.select(both.sub(beyond), difference.add(beyond));
  }

  private static XlaOp isEven(XlaOp x) {
    XlaOp half = times(x, 0.5);
    return half.floor().eq(half);
  }

  /**
   * Returns {@code zeta(x, q) + zeta(x, 1 - q)} for even x, and {@code zeta(x, q) - zeta(x, 1 - q)}
   * for odd ones, with q between 0 and a half; term by term, since near a half they cancel.
   */
  private static XlaOp ofBoth(XlaOp x, XlaOp q, XlaOp isEven, Powers powers) {
    XlaOp gap = minus(1, times(q, 2));
    XlaOp sum = powers.of(q, x).mul(factor(x, gap.div(q), isEven));
    for (int k = 1; k < TERMS; k++) {
      XlaOp a = plus(q, k);
      sum = sum.add(powers.of(a, x).mul(factor(x, gap.div(a), isEven)));
    }
    XlaOp a = plus(q, TERMS);
    XlaOp b = a.add(gap);
    XlaOp next = powers.of(a, x);
    XlaOp ratio = gap.div(a);
    XlaOp integral = powers.integral(a, x).mul(factor(plus(x, -1), ratio, isEven));
    XlaOp half = times(next.mul(factor(x, ratio, isEven)), 0.5);
    XlaOp first = corrections(x, a, next);
    XlaOp second = corrections(x, b, powers.of(b, x));
    XlaOp corrected = isEven.select(first.add(second), first.sub(second));
    XlaOp both = sum.add(integral.add(half).add(corrected));
    return orElse(isEven.or(greater(gap, 0)), both, 0);
  }

  /** Returns 1 plus, or for odd x minus, {@code (1 + ratio)^-x}. */
  private static XlaOp factor(XlaOp x, XlaOp ratio, XlaOp isEven) {
    XlaOp powerMinusOne = x.neg().mul(ratio.log1p()).expm1();
    return isEven.select(plus(powerMinusOne, 2), powerMinusOne.neg());
  }

  /** For q above 0: the first terms, and for the others Euler and Maclaurin's formula. */
  private static XlaOp ofPositive(XlaOp x, XlaOp q, Powers powers) {
    XlaOp sum = powers.of(q, x);
    for (int k = 1; k < TERMS; k++) {
      sum = sum.add(powers.of(plus(q, k), x));
    }
    XlaOp a = plus(q, TERMS);
    XlaOp next = powers.of(a, x);
    XlaOp integral = powers.integral(a, x);
    XlaOp rest = integral.add(times(next, 0.5)).add(corrections(x, a, next));
    return sum.add(orElse(greater(next, 0).or(greater(integral, 0)), rest, 0));
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

  /**
   * (-1)^(n + 1) n! zeta(n + 1, x). Where n! overflows, or the greatest term of zeta underflows,
   * terms are relative to that one, and the product is computed by logarithms.
   */
  static XlaOp polygamma(XlaOp n, XlaOp x) {
    XlaOp next = plus(n, 1);
    XlaOp logFactorial = GammaFunctions.lgamma(next);
    XlaOp factorial = logFactorial.exp();
    XlaOp base = greatestBase(next, x);
    XlaOp logTerm = next.neg().mul(base.log());
    double least = Math.log(Floats.isDouble(x) ? Double.MIN_NORMAL : Float.MIN_NORMAL) + 20;
    XlaOp isExtreme = equal(factorial, Double.POSITIVE_INFINITY).or(less(logTerm, least));
    XlaOp unit = orElse(isExtreme, base, 1);
    XlaOp zeta = zeta(next, x, new Powers(Optional.of(unit)));
    XlaOp logarithm = logFactorial.add(logTerm).add(zeta.abs().log());
    XlaOp byLogarithms = Floats.withSign(logarithm.exp(), zeta);
    XlaOp magnitude = isExtreme.select(byLogarithms, factorial.mul(zeta));
    XlaOp signed = isEven(n).select(magnitude.neg(), magnitude);
    XlaOp value = equal(n, 0).select(GammaFunctions.digamma(x), signed);
    return nanWhere(less(n, 0).or(n.floor().ne(n)), value);
  }

  /**
   * Returns the distance of q from the integer that the greatest term of zeta(x, q) begins at, and
   * that does not cancel.
   */
  private static XlaOp greatestBase(XlaOp x, XlaOp q) {
    XlaOp g = q.ceil().sub(q);
    XlaOp cancels = equal(g, 0.5).and(isEven(x).not());
    XlaOp left = cancels.select(minus(1, q), g.min(minus(1, g)));
    return less(q, 0).select(left, q);
  }
}
