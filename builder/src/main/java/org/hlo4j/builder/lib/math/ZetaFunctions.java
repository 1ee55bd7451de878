package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.equal;
import static org.hlo4j.builder.lib.common.Floats.greater;
import static org.hlo4j.builder.lib.common.Floats.less;
import static org.hlo4j.builder.lib.common.Floats.minus;
import static org.hlo4j.builder.lib.common.Floats.nanWhere;
import static org.hlo4j.builder.lib.common.Floats.orElse;
import static org.hlo4j.builder.lib.common.Floats.plus;
import static org.hlo4j.builder.lib.common.Floats.times;

import java.util.List;
import java.util.Optional;
import org.hlo4j.builder.XlaOp;

/** Hurwitz's zeta function and the derivatives of digamma, in f64. */
final class ZetaFunctions {
  /** Powers of sums relative to a unit; relative to 1 if there is none. */
  private record Powers(Optional<XlaOp> unit, Digits digits) {
    /** Returns q + number. */
    DoubleDouble base(DoubleDouble q, double number) {
      XlaOp shift = q.high().fullLike(number);
      return digits == Digits.DOUBLE
          ? q.plusOf(shift)
          : new DoubleDouble(q.high().add(shift), q.low());
    }

    /** Returns (a / unit)^-x; an error of a is one of x times as much. */
    XlaOp of(DoubleDouble a, XlaOp x) {
      if (digits != Digits.DOUBLE) {
        XlaOp ratio = unit.map(a.high()::div).orElse(a.high());
        XlaOp finite = x.min(x.fullLike(MAX_EXPONENT)); // infinity times log(1) is NaN
        return ratio.log().mul(finite.neg()).exp(); // twice as fast as pow
      }
      return unit.map(u -> a.over(new DoubleDouble(u, u.zerosLike()))).orElse(a).pow(x.neg());
    }

    /** Returns the integral of (t / unit)^-x, which is {@code next} for a, over t from a on. */
    XlaOp integral(DoubleDouble a, XlaOp x, XlaOp next) {
      XlaOp less = plus(x, -1);
      if (digits != Digits.DOUBLE) {
        return next.mul(a.high()).div(less);
      }
      XlaOp integral = of(a, less).div(less);
      return unit.map(integral::mul).orElse(integral);
    }

    /** How many terms are added before Euler and Maclaurin's formula is precise enough. */
    int terms() {
      return digits == Digits.DOUBLE ? 10 : 6;
    }
  }

  /** To the power of it, the least number above 1 is infinite. */
  private static final double MAX_EXPONENT = 1e300;

  /** B(2k) / (2k)! for k from 1 to 12. */
  private static final double[] EULER_MACLAURIN = {
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07,
    2.08767569878681e-08, -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13,
    8.586062056277845e-15, -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19,
  };

  /** The greatest n whose factorial is finite. */
  private static final int LARGEST_FACTORIAL = 170;

  /** The least n whose factorial is computed by Stirling's series. */
  private static final int STIRLING = 23;

  /** Euler's number is Math.E and this. */
  private static final double REST_OF_E = 1.4456468917292502e-16;

  private ZetaFunctions() {}

  /** Returns the sum of (q + k)^-x over all k from 0 on. */
  static XlaOp zeta(XlaOp x, XlaOp q, Digits digits) {
    return zeta(x, q, new Powers(Optional.empty(), digits));
  }

  private static XlaOp zeta(XlaOp x, XlaOp q, Powers powers) {
    XlaOp isWhole = q.floor().eq(q);
    XlaOp isLeft = less(q, 0).and(isWhole.not());
    DoubleDouble above = DoubleDouble.sum(q.fullLike(1), q.neg());
    DoubleDouble base =
        new DoubleDouble(isLeft.select(above.high(), q), orElse(isLeft, above.low(), 0));
    XlaOp positive = ofPositive(x, base, powers);
    XlaOp value =
        Branch.where(
            isLeft,
            List.of(x, q, positive, powers.unit().orElse(x)),
            in ->
                ofNegative(
                    in.get(0),
                    in.get(1),
                    in.get(2),
                    new Powers(powers.unit().map(unit -> in.get(3)), powers.digits())),
            positive);
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
    DoubleDouble exact = new DoubleDouble(q, q.zerosLike());
    XlaOp sum = powers.of(exact, x).mul(factor(x, gap.div(q), isEven));
    for (int k = 1; k < powers.terms(); k++) {
      DoubleDouble a = powers.base(exact, k);
      sum = sum.add(powers.of(a, x).mul(factor(x, gap.div(a.high()), isEven)));
    }
    DoubleDouble a = powers.base(exact, powers.terms());
    DoubleDouble b = DoubleDouble.sum(q.fullLike(powers.terms() + 1), q.neg());
    XlaOp next = powers.of(a, x);
    XlaOp ratio = gap.div(a.high());
    XlaOp integral = powers.integral(a, x, next).mul(factor(plus(x, -1), ratio, isEven));
    XlaOp half = times(next.mul(factor(x, ratio, isEven)), 0.5);
    XlaOp first = corrections(x, a.high(), next);
    XlaOp second = corrections(x, b.high(), powers.of(b, x));
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
  private static XlaOp ofPositive(XlaOp x, DoubleDouble q, Powers powers) {
    XlaOp sum = powers.of(q, x);
    for (int k = 1; k < powers.terms(); k++) {
      sum = sum.add(powers.of(powers.base(q, k), x));
    }
    DoubleDouble a = powers.base(q, powers.terms());
    XlaOp next = powers.of(a, x);
    XlaOp integral = powers.integral(a, x, next);
    XlaOp rest = integral.add(times(next, 0.5)).add(corrections(x, a.high(), next));
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
   * terms are relative to a number next to that one's base.
   */
  static XlaOp polygamma(XlaOp n, XlaOp x, Digits digits) {
    XlaOp next = plus(n, 1);
    XlaOp base = greatestBase(next, x);
    XlaOp isSmall = less(next.neg().mul(base.log()), Math.log(Double.MIN_NORMAL) + 20);
    XlaOp isExtreme = greater(n, LARGEST_FACTORIAL).or(isSmall).and(base.isFinite());
    XlaOp unit = orElse(isExtreme, base.reducePrecision(11, 7), 1);
    XlaOp zeta = zeta(next, x, new Powers(Optional.of(unit), digits));
    XlaOp magnitude = timesFactorial(zeta, n, unit);
    XlaOp signed = isEven(n).select(magnitude.neg(), magnitude);
    XlaOp value =
        Branch.where(equal(n, 0), List.of(x), in -> GammaFunctions.digamma(in.get(0)), signed);
    return nanWhere(less(n, 0).or(n.floor().ne(n)), value);
  }

  /**
   * Returns {@code zeta n! unit^-(n + 1)}: from 23 on n! is {@code sqrt(2 pi n) (n / e)^n} and what
   * Stirling's series adds. The factors are in an order in which none overflows or underflows
   * alone.
   */
  private static XlaOp timesFactorial(XlaOp zeta, XlaOp n, XlaOp unit) {
    XlaOp half = unit.pow(times(plus(n, 1), -0.5));
    XlaOp factorial = n.fullLike(1);
    for (int k = 2; k < STIRLING; k++) {
      factorial = factorial.mul(orElse(less(n, k), n.fullLike(1), k));
    }
    return Branch.where(
        less(n, STIRLING).not(),
        List.of(zeta, n, unit),
        in -> timesStirling(in.get(0), in.get(1), in.get(2)),
        factorial.mul(half).mul(zeta).mul(half));
  }

  private static XlaOp timesStirling(XlaOp zeta, XlaOp n, XlaOp unit) {
    DoubleDouble e = DoubleDouble.product(n.fullLike(Math.E), unit);
    DoubleDouble divisor = new DoubleDouble(e.high(), e.low().add(times(unit, REST_OF_E)));
    XlaOp power = new DoubleDouble(n, n.zerosLike()).over(divisor).pow(n);
    XlaOp root = times(n, 2 * Math.PI).sqrt();
    XlaOp stirling = root.mul(GammaFunctions.stirling(n, Digits.DOUBLE).exp()).mul(power);
    return zeta.div(unit).mul(stirling);
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
