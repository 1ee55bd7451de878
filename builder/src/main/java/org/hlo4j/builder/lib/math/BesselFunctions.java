package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.less;
import static org.hlo4j.builder.lib.common.Floats.over;
import static org.hlo4j.builder.lib.common.Floats.plus;
import static org.hlo4j.builder.lib.common.Floats.times;

import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Floats;

/**
 * The modified Bessel functions of orders 0 and 1, scaled by exp(-|x|), in f32 or f64.
 *
 * <p>There is a Chebyshev series up to 8 and one beyond, as in Clenshaw (NPL Mathematical Tables 5,
 * 1962); they are computed by mpmath to 45 digits from {@code mpmath.besseli} at 80 nodes, and
 * truncated at half an ulp.
 */
final class BesselFunctions {
  /** {@code exp(-x) I0(x)} for x from 0 to 8, in x / 4 - 1. */
  private static final double[] I0_NEAR = {
    3.3307945188222384e-17,
    -2.431279846547955e-16,
    1.715391285555133e-15,
    -1.1685332877993451e-14,
    7.676185498604936e-14,
    -4.856446783111929e-13,
    2.95505266312964e-12,
    -1.726826291441556e-11,
    9.675809035373237e-11,
    -5.189795601635263e-10,
    2.6598237246823866e-09,
    -1.300025009986248e-08,
    6.046995022541919e-08,
    -2.670793853940612e-07,
    1.1173875391201037e-06,
    -4.4167383584587505e-06,
    1.6448448070728896e-05,
    -5.754195010082104e-05,
    0.00018850288509584165,
    -0.0005763755745385824,
    0.0016394756169413357,
    -0.004324309995050576,
    0.010546460394594998,
    -0.02373741480589947,
    0.04930528423967071,
    -0.09490109704804764,
    0.17162090152220877,
    -0.3046826723431984,
    0.6767952744094761,
  };

  /** {@code exp(-x) sqrt(x) I0(x)} for x from 8 on, in 16 / x - 1. */
  private static final double[] I0_FAR = {
    4.46562142029676e-17,
    3.461222867697461e-17,
    -2.8276239805165836e-16,
    -3.425485619677219e-16,
    1.7725601330565263e-15,
    3.8116806693526224e-15,
    -9.554846698828307e-15,
    -4.150569347287222e-14,
    1.54008621752141e-14,
    3.8527783827421426e-13,
    7.180124451383666e-13,
    -1.7941785315068062e-12,
    -1.3215811840447713e-11,
    -3.1499165279632416e-11,
    1.1889147107846439e-11,
    4.94060238822497e-10,
    3.3962320257083865e-09,
    2.266668990498178e-08,
    2.0489185894690638e-07,
    2.8913705208347567e-06,
    6.889758346916825e-05,
    0.0033691164782556943,
    0.8044904110141088,
  };

  /** {@code exp(-x) I1(x) (1 + x) / x} for x from 0 to 8, in x / 4 - 1. */
  private static final double[] I1_NEAR = {
    -2.9047170077866515e-17,
    2.1071115905485388e-16,
    -1.4766063408898357e-15,
    9.984110242341122e-15,
    -6.505148251635197e-14,
    4.078507665421902e-13,
    -2.4568958226516582e-12,
    1.41972592821462e-11,
    -7.855681177111594e-11,
    4.154159427331038e-10,
    -2.0949741571396406e-09,
    1.0051944070687821e-08,
    -4.576799514689336e-08,
    1.9716906904360218e-07,
    -8.009978587389498e-07,
    3.056801434638057e-06,
    -1.090881482432957e-05,
    3.620598648707926e-05,
    -0.00011098970358636966,
    0.0003113991353586689,
    -0.0007892367520714209,
    0.0017695555478066621,
    -0.003373199968950462,
    0.004945319476747819,
    -0.003387887052309795,
    -0.009989690599527732,
    0.054493294317377386,
    -0.17162090152220877,
    0.5572698587868321,
  };

  /** {@code exp(-x) sqrt(x) I1(x)} for x from 8 on, in 16 / x - 1. */
  private static final double[] I1_FAR = {
    -4.6503053684893586e-17,
    -3.209525921993424e-17,
    2.96262899764595e-16,
    3.3082023109209285e-16,
    -1.8803547755107825e-15,
    -3.8144030724370075e-15,
    1.0420276984128802e-14,
    4.272440016711951e-14,
    -2.1015418427726643e-14,
    -4.0835511110921974e-13,
    -7.198551776245908e-13,
    2.0356285441470896e-12,
    1.4125807436613782e-11,
    3.2526035830154884e-11,
    -1.8974958123505413e-11,
    -5.589743462196584e-10,
    -3.835380385964237e-09,
    -2.6314688468895196e-08,
    -2.512236237870209e-07,
    -3.882564808877691e-06,
    -0.00011058893876262371,
    -0.009761097491361469,
    0.7785762350182801,
  };

  private static final int LIMIT = 8;

  private BesselFunctions() {}

  static XlaOp i0e(XlaOp x) {
    Digits digits = Digits.of(x);
    XlaOp z = x.abs();
    XlaOp small = digits.chebyshev(near(z), I0_NEAR);
    XlaOp value = less(z, LIMIT).select(small, far(z, digits, I0_FAR));
    return Floats.orElse(Floats.equal(z, 0).not(), value, 1);
  }

  static XlaOp i1e(XlaOp x, Digits digits) {
    XlaOp z = x.abs();
    XlaOp small = z.div(plus(z, 1)).mul(digits.chebyshev(near(z), I1_NEAR));
    return Floats.withSign(less(z, LIMIT).select(small, far(z, digits, I1_FAR)), x);
  }

  private static XlaOp near(XlaOp z) {
    return plus(times(z, 0.25), -1);
  }

  private static XlaOp far(XlaOp z, Digits digits, double[] table) {
    return digits.chebyshev(plus(over(16, z), -1), table).div(z.sqrt());
  }
}
