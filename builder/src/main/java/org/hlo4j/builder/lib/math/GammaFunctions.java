package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.equal;
import static org.hlo4j.builder.lib.common.Floats.less;
import static org.hlo4j.builder.lib.common.Floats.minus;
import static org.hlo4j.builder.lib.common.Floats.nanWhere;
import static org.hlo4j.builder.lib.common.Floats.over;
import static org.hlo4j.builder.lib.common.Floats.plus;
import static org.hlo4j.builder.lib.common.Floats.times;

import java.util.function.UnaryOperator;
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

  /** {@code log(gamma(z)) / (z - 2)} for z from 2.5 to 8, in 3.5 (z - 4.5) / (z + 4.5). */
  private static final double[] MIDDLE = {
    1.0581144311894464e-15,
    2.7397780570933746e-15,
    5.61685412835895e-14,
    1.4769915621020143e-13,
    3.0335141574216265e-12,
    8.131460962867906e-12,
    1.676649300682217e-10,
    4.6033433510128804e-10,
    9.575533463847687e-09,
    2.708028816073644e-08,
    5.74993235870217e-07,
    1.6844865818969158e-06,
    3.763769312777332e-05,
    0.00011456634810080996,
    0.00295180697056373,
    0.009272282982876027,
    0.42768679384780206,
    1.9813080056607875,
  };

  /** B(2k) / (2k (2k - 1)) for k from 10 to 1: Stirling's series, DLMF 5.11.1. */
  private static final double[] STIRLING = {
    -1.3924322169059011, 0.17964437236883057, -0.029550653594771242, 0.00641025641025641,
    -0.0019175269175269176, 0.0008417508417508417, -0.0005952380952380953, 0.0007936507936507937,
    -0.002777777777777778, 0.08333333333333333,
  };

  /** {@code digamma(z) / (z - z0)} for z from 1 to 2, z0 the zero between, in 2z - 3. */
  private static final double[] DIGAMMA_NEAR = {
    -8.11148420346509e-17,
    4.727736178601912e-16,
    -2.7555431377438815e-15,
    1.606064636295075e-14,
    -9.360993131036438e-14,
    5.456147570322795e-13,
    -3.18023536582553e-12,
    1.853735192053638e-11,
    -1.080593028883266e-10,
    6.299717236108931e-10,
    -3.673295918565179e-09,
    2.1425009322359472e-08,
    -1.2502886813559594e-07,
    7.302769272465923e-07,
    -4.2721034029993324e-06,
    2.5060543468359146e-05,
    -0.00014773492650606044,
    0.0008788656937820505,
    -0.005320077271596548,
    0.03336889902393011,
    -0.2270640863346444,
    1.967140520883134,
  };

  /** {@code digamma(z)} for z from 2 to 8, in 3 (z - 4) / (z + 4). */
  private static final double[] DIGAMMA_MIDDLE = {
    9.690515198501093e-17,
    -4.69412567062052e-16,
    3.320559131768512e-15,
    -1.5762632441356913e-14,
    1.1400779087665137e-13,
    -5.27717664813383e-13,
    3.925289702510999e-12,
    -1.7593015800969533e-11,
    1.3571563753928172e-10,
    -5.829561796650993e-10,
    4.724395047481879e-09,
    -1.914559620589846e-08,
    1.664813930042458e-07,
    -6.206672981624115e-07,
    6.011725450500243e-06,
    -1.9750960635614847e-05,
    0.0002293585222430691,
    -0.0006128939597506581,
    0.010109493285227892,
    -0.01843261082854034,
    0.7860835365501035,
    2.4765576053799054,
  };

  /** B(2k) / (2k) for k from 10 to 1: DLMF 5.11.2. */
  private static final double[] DIGAMMA = {
    -26.456212121212122, 3.0539543302701198, -0.4432598039215686, 0.08333333333333333,
    -0.021092796092796094, 0.007575757575757576, -0.004166666666666667, 0.003968253968253968,
    -0.008333333333333333, 0.08333333333333333,
  };

  /** The smallest argument of the asymptotic series. */
  private static final int LARGE = 8;

  /** The greatest inverse square in the asymptotic series. */
  private static final double GREATEST_SQUARE = 1.0 / (LARGE * LARGE);

  /** The zero of digamma above 0 is the sum of both. */
  private static final double DIGAMMA_ZERO = 1.4616321449683622;

  private static final double DIGAMMA_ZERO_REST = 9.549995429965697e-17;

  private static final double HALF_LOG_TWO_PI = 0.9189385332046728;

  private GammaFunctions() {}

  /** For x below -1/2 by gamma(x) gamma(-x) = -pi / (x sin(pi x)), which cancels near zeros. */
  static XlaOp lgamma(XlaOp x) {
    XlaOp z = x.abs();
    XlaOp value =
        lgamma(
            x,
            z,
            Digits.of(x),
            positive -> {
              XlaOp reflected = over(Math.PI, z.mul(sinPi(z))).log().sub(positive);
              return less(x, 0).select(reflected, positive);
            });
    XlaOp isPole = less(x, 0.5).and(z.floor().eq(z));
    return isPole.select(x.fullLike(Double.POSITIVE_INFINITY), value);
  }

  /** For x from 0 on. Fewer digits do where nothing is reflected. */
  static XlaOp lgammaOfPositive(XlaOp x) {
    return lgamma(x, x, Digits.GUARDED, positive -> positive);
  }

  /** For x with the absolute value z; from 1/2 on, what becomes of the value for z. */
  private static XlaOp lgamma(XlaOp x, XlaOp z, Digits digits, UnaryOperator<XlaOp> fromHalf) {
    XlaOp isSmall = less(z, 0.5);
    XlaOp y = isSmall.select(x, plus(z, -1));
    XlaOp one = y.mul(digits.chebyshev(times(y, 2), NEAR_ONE));
    XlaOp positive = less(z, 1.5).select(one, aboveThreeHalves(z, digits));
    return plus(isSmall.select(one.sub(z.log()), fromHalf.apply(positive)), 0); // no -0 at 1
  }

  private static XlaOp aboveThreeHalves(XlaOp z, Digits digits) {
    XlaOp y = plus(z, -2);
    XlaOp place = times(plus(z, -4.5), 3.5).div(plus(z, 4.5));
    XlaOp ratio =
        less(z, 2.5)
            .select(digits.chebyshev(times(y, 2), NEAR_TWO), digits.chebyshev(place, MIDDLE));
    // (z - 1/2) log z - z + log(2 pi) / 2
    XlaOp main = plus(plus(z, -0.5).mul(plus(z.log(), -1)), HALF_LOG_TWO_PI - 0.5);
    return less(z, LARGE).select(y.mul(ratio), main.add(stirling(z, digits)));
  }

  /** |sin(pi z)| for z from 0 on. */
  private static XlaOp sinPi(XlaOp z) {
    XlaOp f = z.sub(z.floor());
    return times(f.min(minus(1, f)), Math.PI).sin();
  }

  /** log(gamma(z)) - ((z - 1/2) log z - z + log(2 pi) / 2), for z from 8 on. */
  static XlaOp stirling(XlaOp z, Digits digits) {
    XlaOp inverse = over(1, z);
    return inverse.mul(digits.polynomial(inverse.mul(inverse), GREATEST_SQUARE, STIRLING));
  }

  /** Returns the remainder of Stirling's formula for log(gamma(z)), for all z above 0. */
  static XlaOp stirlingError(XlaOp z) {
    XlaOp main = plus(plus(z, -0.5).mul(z.log()).sub(z), HALF_LOG_TWO_PI);
    return less(z, LARGE).select(lgamma(z).sub(main), stirling(z, Digits.of(z)));
  }

  /** For x from 1/2 on, to fewer digits. */
  static XlaOp digammaAboveHalf(XlaOp x) {
    return digammaAboveHalf(x, Digits.GUARDED);
  }

  /** For x below 1/2 by psi(1 - x) - psi(x) = pi / tan(pi x), which cancels near zeros. */
  static XlaOp digamma(XlaOp x) {
    XlaOp isLeft = less(x, 0.5);
    XlaOp positive = digammaAboveHalf(isLeft.select(minus(1, x), x), Digits.of(x));
    XlaOp f = x.sub(x.roundNearestEven());
    XlaOp reflected = positive.sub(over(Math.PI, times(f, Math.PI).tan()));
    XlaOp value = isLeft.select(reflected, positive);
    return nanWhere(less(x, 0.5).and(equal(f, 0)), value);
  }

  /** From 1/2 to 1 by psi(z) = psi(z + 1) - 1 / z. */
  private static XlaOp digammaAboveHalf(XlaOp z, Digits digits) {
    XlaOp isLow = less(z, 1);
    XlaOp a = isLow.select(plus(z, 1), z);
    XlaOp distance = plus(plus(a, -DIGAMMA_ZERO), -DIGAMMA_ZERO_REST);
    XlaOp near = distance.mul(digits.chebyshev(plus(times(a, 2), -3), DIGAMMA_NEAR));
    XlaOp place = times(plus(z, -4), 3).div(plus(z, 4));
    XlaOp middle = digits.chebyshev(place, DIGAMMA_MIDDLE);
    XlaOp large = z.log().sub(asymptoticLogMinusDigamma(z, digits));
    XlaOp above = less(z, 2).select(near, less(z, LARGE).select(middle, large));
    return isLow.select(near.sub(over(1, z)), above);
  }

  /** log z - psi(z) = 1 / (2z) + sum of B(2k) / (2k z^(2k)), for z from 8 on. */
  private static XlaOp asymptoticLogMinusDigamma(XlaOp z, Digits digits) {
    XlaOp inverse = over(1, z);
    XlaOp square = inverse.mul(inverse);
    XlaOp sum = digits.polynomial(square, GREATEST_SQUARE, DIGAMMA);
    return times(inverse, 0.5).add(square.mul(sum));
  }

  /** log z - psi(z) for all z above 0. */
  static XlaOp logMinusDigamma(XlaOp z) {
    XlaOp difference = z.log().sub(digamma(z));
    return less(z, LARGE).select(difference, asymptoticLogMinusDigamma(z, Digits.of(z)));
  }
}
