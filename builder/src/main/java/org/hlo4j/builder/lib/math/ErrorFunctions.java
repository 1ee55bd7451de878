package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.equal;
import static org.hlo4j.builder.lib.common.Floats.less;
import static org.hlo4j.builder.lib.common.Floats.minus;
import static org.hlo4j.builder.lib.common.Floats.plus;
import static org.hlo4j.builder.lib.common.Floats.times;

import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.builder.lib.common.Floats;

/**
 * The complementary error function and the inverse of the error function, in f32 or f64.
 *
 * <p>Tables are Chebyshev series computed by mpmath to 45 digits from {@code mpmath.erfc} at 80
 * nodes, truncated at half an ulp.
 */
final class ErrorFunctions {
  /**
   * {@code (1 + 2x) exp(x^2) erfc(x)} for all x from 0 on, in {@code (x - 3.75) / (x + 3.75)}: the
   * variable of Shepherd and Laframboise, Mathematics of Computation 36, 1981.
   */
  private static final double[] ERFCX = {
    7.418235256969802e-17, -1.250795053065837e-15, -1.864562880416744e-15, 3.347811948287014e-14,
    3.252548148148898e-14, -9.65469674843343e-13, 1.94558685457774e-13, 2.86879501093067e-11,
    -6.318088340886684e-11, -7.754400208831351e-10, 4.521959811218287e-09, 1.076499946567091e-08,
    -2.1886401049234397e-07, 7.74038306619849e-07, 4.13902798607301e-06, -6.916973302501207e-05,
    0.0004907758365258086, -0.002413163540417608, 0.009074997670705265, -0.026658668435305753,
    0.05920993999819189, -0.08424913336651792, -0.004590054580646478, 2.3551578691348034,
  };

  /** {@code erfInv(x) / x} in w = -log(1 - x^2) from 0 to 6.25: Giles's variable, 2010. */
  private static final double[] ERF_INV_CENTRE = {
    1.83129083527959e-16,
    -3.9036001761416307e-17,
    -3.94956069090147e-15,
    1.6403697972051414e-14,
    2.4256976317675218e-14,
    -4.656064719044143e-13,
    1.292282189751795e-12,
    5.436227530231317e-12,
    -5.0994281737154326e-11,
    7.917020592973908e-11,
    8.51790549109762e-10,
    -5.244776785530681e-09,
    1.4907998843194937e-09,
    1.159027723297735e-07,
    -5.106997335480761e-07,
    -6.111918603258194e-07,
    1.4752887929042498e-05,
    -4.9292864636180004e-05,
    -0.00014158343386374536,
    0.0019488711426908524,
    -0.0065808875424494635,
    -0.021235032142504585,
    0.7315674456742257,
    3.260844197891865,
  };

  /** The same in sqrt(w) from 2.5 to 4. */
  private static final double[] ERF_INV_TAIL = {
    -2.4669496593190295e-16,
    2.9484539267546553e-17,
    1.0402388222104601e-14,
    -8.245551635697369e-14,
    1.9183918173325102e-13,
    1.9364299208504444e-12,
    -2.1642011149793333e-11,
    8.095391923249493e-11,
    2.2053622855049448e-10,
    -4.411209869554094e-09,
    2.3903569231251557e-08,
    -2.922686732135409e-08,
    -5.385189635316591e-07,
    5.231051543788091e-06,
    -2.943377534710642e-05,
    0.0001302806745904227,
    -0.000534561900101604,
    0.0019842584172056767,
    0.7524837268921277,
    6.171489688046204,
  };

  /** The same in sqrt(w) from 4 to 6.1, which f32 does not reach. */
  private static final double[] ERF_INV_FAR = {
    -2.879487147676625e-16,
    1.0108026018691186e-15,
    5.716041001701004e-17,
    -3.189723436808647e-14,
    2.9255407963971536e-13,
    -1.8100332718878167e-12,
    9.026132135656793e-12,
    -3.893213021323713e-11,
    1.555965925191801e-10,
    -6.531992299707707e-10,
    3.456660629820519e-09,
    -2.4375799091760216e-08,
    1.9876291181659057e-07,
    -1.621367947252389e-06,
    1.1954464593415613e-05,
    -6.575473998320703e-05,
    -4.7553553480943684e-05,
    1.0606099459404281,
    9.80072347775736,
  };

  private ErrorFunctions() {}

  /** For x below 0 by erfc(-x) = 2 - erfc(x). */
  static XlaOp erfc(XlaOp x, Digits digits) {
    XlaOp z = x.abs().min(Constants.scalarLike(x, 30)); // beyond, 0 in f64 too
    XlaOp place = plus(z, -3.75).div(plus(z, 3.75));
    XlaOp scaled = digits.chebyshev(place, ERFCX).div(plus(times(z, 2), 1));
    XlaOp tail = scaled.mul(expOfMinusSquare(z, digits));
    XlaOp far = less(x, 0).select(minus(2, tail), tail);
    return digits == Digits.GUARDED ? far : less(x.abs(), 0.5).select(minus(1, x.erf()), far);
  }

  /** exp(-z^2) = exp(-h^2) exp(-(z - h)(z + h)), where h has so few bits that h^2 is exact. */
  private static XlaOp expOfMinusSquare(XlaOp z, Digits digits) {
    if (digits == Digits.GUARDED) {
      return z.mul(z).neg().exp();
    }
    XlaOp h = Floats.isDouble(z) ? z.reducePrecision(11, 25) : z.reducePrecision(8, 11);
    XlaOp rest = z.sub(h).mul(z.add(h));
    return h.mul(h).neg().exp().mul(rest.neg().exp());
  }

  static XlaOp erfInv(XlaOp x, Digits digits) {
    XlaOp w = minusLogOfOneMinusSquare(x, digits);
    XlaOp root = w.max(w.zerosLike()).sqrt();
    XlaOp centre = digits.chebyshev(plus(times(w, 1 / 3.125), -1), ERF_INV_CENTRE);
    XlaOp tail = digits.chebyshev(times(plus(root, -3.25), 1 / 0.75), ERF_INV_TAIL);
    XlaOp ratio = less(w, 6.25).select(centre, tail);
    if (digits == Digits.DOUBLE) {
      XlaOp far = digits.chebyshev(times(plus(root, -5.05), 1 / 1.05), ERF_INV_FAR);
      ratio = less(root, 4).select(ratio, far);
    }
    XlaOp infinity = times(x, Double.POSITIVE_INFINITY);
    return equal(x.abs(), 1).select(infinity, x.mul(ratio));
  }

  /** -log(1 - x^2); the square of an f32 is exact in f64. */
  private static XlaOp minusLogOfOneMinusSquare(XlaOp x, Digits digits) {
    return digits == Digits.GUARDED
        ? minus(1, x.mul(x)).log().neg()
        : x.log1p().add(x.neg().log1p()).neg();
  }
}
