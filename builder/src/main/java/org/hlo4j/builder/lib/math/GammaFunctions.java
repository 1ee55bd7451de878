package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.chebyshev;
import static org.hlo4j.builder.lib.common.Floats.equal;
import static org.hlo4j.builder.lib.common.Floats.less;
import static org.hlo4j.builder.lib.common.Floats.minus;
import static org.hlo4j.builder.lib.common.Floats.nanWhere;
import static org.hlo4j.builder.lib.common.Floats.needed;
import static org.hlo4j.builder.lib.common.Floats.over;
import static org.hlo4j.builder.lib.common.Floats.plus;
import static org.hlo4j.builder.lib.common.Floats.polynomial;
import static org.hlo4j.builder.lib.common.Floats.times;

import org.hlo4j.builder.XlaOp;

/**
 * The logarithm of the gamma function and its derivative, in f32 or f64.
 *
 * <p>Near the zeros 1 and 2 the distance to the zero is a factor of the formula, which preserves
 * relative accuracy there. Tables are Chebyshev series computed by mpmath to 45 digits from {@code
 * mpmath.loggamma} at 80 nodes, truncated at half an ulp.
 */
final class GammaFunctions {
  /** {@code log(gamma(1 + y)) / y} for y from -1/2 to 1/2, in 2y. */
  private static final double[] NEAR_ONE = {
    -1.0024188186640361e-16,
    3.885614648428306e-16,
    -1.5084071183968602e-15,
    5.86514671522212e-15,
    -2.28454959350908e-14,
    8.915622432767707e-14,
    -3.486660039885161e-13,
    1.3666688100545857e-12,
    -5.370507653794381e-12,
    2.116338666160694e-11,
    -8.365902567746219e-11,
    3.3186698554450495e-10,
    -1.3217135752166157e-09,
    5.287778091463614e-09,
    -2.126510912478688e-08,
    8.603823016763753e-08,
    -3.5060690575761177e-07,
    1.4410616180293054e-06,
    -5.986014498026819e-06,
    2.5201155299530276e-05,
    -0.00010799644528099427,
    0.0004744402338724658,
    -0.002163989092091715,
    0.010513973690267811,
    -0.057857409449912446,
    0.4405675574678963,
    -1.266022852550062,
  };

  /** {@code log(gamma(2 + y)) / y} for y from -1/2 to 1/2, in 2y. */
  private static final double[] NEAR_TWO = {
    3.245660731626191e-17,
    -2.706656814831896e-16,
    2.2653768767833064e-15,
    -1.9039501088488732e-14,
    1.6079351149711552e-13,
    -1.3656871334744932e-12,
    1.1678602130652374e-11,
    -1.0070266869830198e-10,
    8.774075140687239e-10,
    -7.747248733788217e-09,
    6.962242692768951e-08,
    -6.410003033826223e-07,
    6.110065797003576e-06,
    -6.139556963628233e-05,
    0.0006727515726001485,
    -0.008658972394126285,
    0.16322170068760064,
    0.8283722498431335,
  };

  /** {@code log(gamma(z))} for z from 2.5 to 8, in (z - 5.25) / 2.75. */
  private static final double[] MIDDLE = {
    4.2598363379599617e-16,
    -1.5682296703696627e-15,
    5.784243630372903e-15,
    -2.1379201465547786e-14,
    7.920396490069918e-14,
    -2.9419370111879293e-13,
    1.0959563432071646e-12,
    -4.096341450946136e-12,
    1.5368994036697692e-11,
    -5.791446286050543e-11,
    2.1934151961818862e-10,
    -8.356343355401297e-10,
    3.2057765007437787e-09,
    -1.2400852047031189e-08,
    4.845209217891951e-08,
    -1.9163743543232024e-07,
    7.695447373901527e-07,
    -3.1500045496671297e-06,
    1.321740857358142e-05,
    -5.731658953992363e-05,
    0.00026009303514587274,
    -0.0012605463335551253,
    0.006770238675545854,
    -0.04357627977994028,
    0.4215122368901265,
    4.165136742940082,
    7.952731016642554,
  };

  /** B(2k) / (2k (2k - 1)) for k from 10 to 1: Stirling's series, DLMF 5.11.1. */
  private static final double[] STIRLING = {
    -1.3924322169059011, 0.17964437236883057, -0.029550653594771242, 0.00641025641025641,
    -0.0019175269175269176, 0.0008417508417508417, -0.0005952380952380953, 0.0007936507936507937,
    -0.002777777777777778, 0.08333333333333333,
  };

  /** B(2k) / (2k) for k from 10 to 1: DLMF 5.11.2. */
  private static final double[] DIGAMMA = {
    -26.456212121212122, 3.0539543302701198, -0.4432598039215686, 0.08333333333333333,
    -0.021092796092796094, 0.007575757575757576, -0.004166666666666667, 0.003968253968253968,
    -0.008333333333333333, 0.08333333333333333,
  };

  /** The smallest argument of the asymptotic series. */
  private static final int LARGE = 8;

  private static final double HALF_LOG_TWO_PI = 0.9189385332046728;

  private GammaFunctions() {}

  /** For x below -1/2 by gamma(x) gamma(-x) = -pi / (x sin(pi x)). */
  static XlaOp lgamma(XlaOp x) {
    XlaOp z = x.abs();
    XlaOp isSmall = less(z, 0.5);
    XlaOp y = isSmall.select(x, plus(z, -1));
    XlaOp one = y.mul(chebyshev(times(y, 4), needed(x, 13, NEAR_ONE)));
    XlaOp positive = less(z, 1.5).select(one, aboveThreeHalves(z));
    XlaOp reflected = over(Math.PI, z.mul(sinPi(z))).log().sub(positive);
    XlaOp onLeft = less(x, 0).select(reflected, positive);
    XlaOp value = plus(isSmall.select(one.sub(z.log()), onLeft), 0); // no -0 at 1
    XlaOp isPole = less(x, 0.5).and(z.floor().eq(z));
    return isPole.select(x.fullLike(Double.POSITIVE_INFINITY), value);
  }

  private static XlaOp aboveThreeHalves(XlaOp z) {
    XlaOp y = plus(z, -2);
    XlaOp two = y.mul(chebyshev(times(y, 4), needed(z, 8, NEAR_TWO)));
    XlaOp middle = chebyshev(times(plus(z, -5.25), 2 / 2.75), needed(z, 12, MIDDLE));
    // (z - 1/2) log z - z + log(2 pi) / 2
    XlaOp main = plus(plus(z, -0.5).mul(plus(z.log(), -1)), HALF_LOG_TWO_PI - 0.5);
    XlaOp large = main.add(stirling(z));
    return less(z, 2.5).select(two, less(z, LARGE).select(middle, large));
  }

  /** |sin(pi z)| for z from 0 on. */
  private static XlaOp sinPi(XlaOp z) {
    XlaOp f = z.sub(z.floor());
    return times(f.min(minus(1, f)), Math.PI).sin();
  }

  /** log(gamma(z)) - ((z - 1/2) log z - z + log(2 pi) / 2), for z from 8 on. */
  private static XlaOp stirling(XlaOp z) {
    XlaOp inverse = over(1, z);
    return inverse.mul(polynomial(inverse.mul(inverse), needed(z, 5, STIRLING)));
  }

  /** Returns the remainder of Stirling's formula for log(gamma(z)), for all z above 0. */
  static XlaOp stirlingError(XlaOp z) {
    XlaOp main = plus(plus(z, -0.5).mul(z.log()).sub(z), HALF_LOG_TWO_PI);
    return less(z, LARGE).select(lgamma(z).sub(main), stirling(z));
  }

  /** By recurrence up to 8 and more, for x below 1/2 by psi(1 - x) - psi(x) = pi / tan(pi x). */
  static XlaOp digamma(XlaOp x) {
    XlaOp isLeft = less(x, 0.5);
    XlaOp z = isLeft.select(minus(1, x), x);
    XlaOp steps = z.zerosLike();
    for (int k = 0; k < LARGE; k++) {
      steps = steps.add(over(1, plus(z, k)));
    }
    XlaOp shifted = less(z, LARGE).select(plus(z, LARGE), z);
    XlaOp asymptotic = shifted.log().sub(asymptoticLogMinusDigamma(shifted));
    XlaOp positive = less(z, LARGE).select(asymptotic.sub(steps), asymptotic);
    XlaOp f = x.sub(x.roundNearestEven());
    XlaOp reflected = positive.sub(over(Math.PI, times(f, Math.PI).tan()));
    XlaOp value = isLeft.select(reflected, positive);
    return nanWhere(less(x, 0.5).and(equal(f, 0)), value);
  }

  /** log z - psi(z) = 1 / (2z) + sum of B(2k) / (2k z^(2k)), for z from 8 on. */
  private static XlaOp asymptoticLogMinusDigamma(XlaOp z) {
    XlaOp inverse = over(1, z);
    XlaOp square = inverse.mul(inverse);
    return times(inverse, 0.5).add(square.mul(polynomial(square, needed(z, 5, DIGAMMA))));
  }

  /** log z - psi(z) for all z above 0. */
  static XlaOp logMinusDigamma(XlaOp z) {
    return less(z, LARGE).select(z.log().sub(digamma(z)), asymptoticLogMinusDigamma(z));
  }
}
