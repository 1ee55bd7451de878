package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.less;
import static org.hlo4j.builder.lib.common.Floats.needed;
import static org.hlo4j.builder.lib.common.Floats.over;
import static org.hlo4j.builder.lib.common.Floats.plus;
import static org.hlo4j.builder.lib.common.Floats.polynomial;
import static org.hlo4j.builder.lib.common.Floats.times;

import org.hlo4j.builder.XlaOp;

/**
 * Accurate densities that are products of very large powers, by the saddle-point form of Loader,
 * Fast and Accurate Computation of Binomial Probabilities, 2000.
 */
final class Deviance {
  /** Coefficients of atanh(r) / r - 1 in r^2, the highest first. */
  private static final double[] ODD_INVERSES = {
    1.0 / 29, 1.0 / 27, 1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
    1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3,
  };

  /** The bound below which the series of log(1 + mu) converges fast. */
  static final double NEAR = 0.4;

  private Deviance() {}

  /** mu - log(1 + mu). */
  static XlaOp excess(XlaOp mu) {
    return less(mu.abs(), NEAR).select(nearZero(mu), mu.sub(mu.log1p()));
  }

  /** mu r - 2 r^3 (1/3 + r^2 / 5 + r^4 / 7 + ...), where r = mu / (2 + mu). */
  private static XlaOp nearZero(XlaOp mu) {
    XlaOp r = mu.div(plus(mu, 2));
    XlaOp square = r.mul(r);
    XlaOp series = polynomial(square, needed(mu, 6, ODD_INVERSES));
    return mu.mul(r).sub(times(r.mul(square).mul(series), 2));
  }

  /** m - k - k log(m / k), where m = k + difference: 0 if m = k, and never below. */
  static XlaOp of(XlaOp k, XlaOp difference, XlaOp m) {
    XlaOp mu = difference.div(k);
    // The quotient of a small k could overflow.
    XlaOp ratio = less(k, 1).select(m.log().sub(k.log()), m.div(k).log());
    XlaOp far = difference.sub(k.mul(ratio));
    return less(mu.abs(), NEAR).select(k.mul(nearZero(mu)), far);
  }

  /** x^a e^-x / gamma(a) = sqrt(a / (2 pi)) exp(-error(a) - deviance). */
  static XlaOp gammaDensity(XlaOp a, XlaOp x) {
    XlaOp exponent = GammaFunctions.stirlingError(a).add(of(a, x.sub(a), x));
    return times(a, 1 / (2 * Math.PI)).sqrt().mul(exponent.neg().exp());
  }

  /** x^a y^b / beta(a, b), where y = 1 - x. */
  static XlaOp betaDensity(XlaOp a, XlaOp b, XlaOp x, XlaOp y) {
    XlaOp n = a.add(b);
    XlaOp difference = b.mul(x).sub(a.mul(y)); // n x - a = b - n y
    XlaOp deviance = of(a, difference, n.mul(x)).add(of(b, difference.neg(), n.mul(y)));
    XlaOp errors =
        GammaFunctions.stirlingError(a)
            .add(GammaFunctions.stirlingError(b))
            .sub(GammaFunctions.stirlingError(n));
    XlaOp scale = times(a.div(n).mul(b), 1 / (2 * Math.PI)).sqrt();
    return scale.mul(errors.add(deviance).neg().exp());
  }

  /** log(x) - psi(a) without cancellation where x is near a. */
  static XlaOp logMinusDigamma(XlaOp a, XlaOp x) {
    XlaOp mu = x.sub(a).div(a);
    XlaOp ratio = less(mu.abs(), 0.5).select(mu.log1p(), x.log().sub(a.log()));
    return ratio.add(GammaFunctions.logMinusDigamma(a));
  }

  /** log(x) - psi(a + 1) likewise. */
  static XlaOp logMinusDigammaOfNext(XlaOp a, XlaOp x) {
    return logMinusDigamma(a, x).sub(over(1, a));
  }
}
