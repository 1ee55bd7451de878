package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.equal;
import static org.hlo4j.builder.lib.common.Floats.less;
import static org.hlo4j.builder.lib.common.Floats.needed;
import static org.hlo4j.builder.lib.common.Floats.over;
import static org.hlo4j.builder.lib.common.Floats.plus;
import static org.hlo4j.builder.lib.common.Floats.polynomial;
import static org.hlo4j.builder.lib.common.Floats.times;

import org.hlo4j.builder.XlaOp;

/**
 * The incomplete gamma functions for a above {@link #FROM} and x within a factor of 0.6 to 1.4, and
 * the derivative in a: Temme's uniform asymptotic expansion, DLMF 8.12. The functions of a and x,
 * in f32 or f64.
 *
 * <p>With {@code mu = x / a - 1} and {@code eta^2 / 2 = mu - log(1 + mu)}, eta of the sign of mu,
 * {@code Q = erfc(eta sqrt(a / 2)) / 2 + R} where {@code R = exp(-a eta^2 / 2) / sqrt(2 pi a) S}
 * and {@code S = C0(eta) + C1(eta) / a + ...}.
 */
final class LargeGamma {
  static final double FROM = 10000;

  /**
   * C0 to C3 in powers of eta, the highest first: DLMF 8.12.9 and 8.12.10 with mu as a power series
   * in eta, computed by mpmath to 60 digits. Enough where exp(-a eta^2 / 2) is not zero.
   */
  private static final double[][] C = {
    {
      -5.0276692801141755e-12,
      2.4361948020667415e-11,
      -5.830772132550426e-11,
      -2.5514193994946248e-11,
      9.14769958223679e-10,
      -4.382036018453353e-09,
      1.0261809784240309e-08,
      6.707853543401498e-09,
      -1.7665952736826078e-07,
      8.296711340953087e-07,
      -1.85406221071516e-06,
      -2.185448510679992e-06,
      3.919263178522438e-05,
      -0.0001787551440329218,
      0.0003527336860670194,
      0.0011574074074074073,
      -0.014814814814814815,
      0.08333333333333333,
      -0.3333333333333333,
    },
    {
      -1.7543241719747647e-11,
      1.1951628599778148e-08,
      -5.752545603517705e-08,
      1.378633446915721e-07,
      4.647127802807434e-09,
      -1.6120900894563446e-06,
      7.64916091608111e-06,
      -1.8098550334489977e-05,
      -4.018775720164609e-07,
      0.00020576131687242798,
      -0.0009902263374485596,
      0.0026455026455026454,
      -0.003472222222222222,
      -0.001851851851851852,
    },
    {
      1.3721957309062934e-06, 3.423578734096138e-08, -1.2760635188618728e-05,
      5.2923448829120125e-05, -0.0001073665322636516, 2.0093878600823047e-06,
      0.0007716049382716049, -0.0026813271604938273, 0.004133597883597883,
    },
    {
      -7.561801671883977e-05,
      0.00026772063206283885,
      -0.0004691894943952557,
      0.00022947209362139917,
      0.0006494341563786008,
    },
  };

  private static final int SINGLE_TERMS = 8;

  private final XlaOp a;
  private final XlaOp mu;
  private final XlaOp halfSquare; // eta^2 / 2
  private final XlaOp eta;
  private final XlaOp x;

  LargeGamma(XlaOp a, XlaOp x) {
    this.a = a;
    this.x = x;
    mu = x.sub(a).div(a);
    halfSquare = Deviance.excess(mu);
    XlaOp root = times(halfSquare, 2).sqrt();
    eta = less(mu, 0).select(root.neg(), root);
  }

  XlaOp upper() {
    return tail(false).add(rest());
  }

  XlaOp lower() {
    return tail(true).sub(rest());
  }

  /** erfc(+-eta sqrt(a / 2)) / 2. */
  private XlaOp tail(boolean isLower) {
    XlaOp y = a.mul(halfSquare).sqrt();
    XlaOp signed = isLower ? less(mu, 0).select(y, y.neg()) : less(mu, 0).select(y.neg(), y);
    return times(ErrorFunctions.erfc(signed, Digits.of(signed)), 0.5);
  }

  private XlaOp rest() {
    return density().mul(series());
  }

  /** exp(-a eta^2 / 2) / sqrt(2 pi a). */
  private XlaOp density() {
    return a.mul(halfSquare).neg().exp().div(times(a, 2 * Math.PI).sqrt());
  }

  private XlaOp series() {
    XlaOp sum = eta.zerosLike();
    for (int k = C.length - 1; k >= 0; k--) {
      sum = sum.div(a).add(polynomial(eta, needed(eta, SINGLE_TERMS, C[k])));
    }
    return sum;
  }

  /** S by eta. */
  private XlaOp seriesByEta() {
    XlaOp sum = eta.zerosLike();
    for (int k = C.length - 1; k >= 0; k--) {
      sum = sum.div(a).add(polynomial(eta, derivative(needed(eta, SINGLE_TERMS, C[k]))));
    }
    return sum;
  }

  private static double[] derivative(double[] powers) {
    double[] result = new double[powers.length - 1];
    for (int i = 0; i < result.length; i++) {
      result[i] = powers[i] * (powers.length - 1 - i);
    }
    return result;
  }

  /** S by a, eta held: -C1 / a^2 - 2 C2 / a^3 - ... */
  private XlaOp seriesByA() {
    XlaOp sum = eta.zerosLike();
    for (int k = C.length - 1; k >= 1; k--) {
      XlaOp term = polynomial(eta, needed(eta, SINGLE_TERMS, C[k]));
      sum = sum.div(a).add(times(term, -k));
    }
    return sum.div(a).div(a);
  }

  /**
   * Returns the derivative of P by a over the density; d eta / da = -rho / a with rho = mu / eta =
   * 1 / (1 + eta C0).
   */
  private XlaOp relativeDerivative() {
    XlaOp first = polynomial(eta, needed(eta, SINGLE_TERMS, C[0]));
    XlaOp rho = over(1, plus(eta.mul(first), 1));
    XlaOp outer = halfSquare.sub(mu).add(over(0.5, a));
    return times(eta, 0.5)
        .sub(rho)
        .add(series().mul(outer))
        .add(seriesByEta().mul(rho).div(a))
        .sub(seriesByA());
  }

  XlaOp derivative() {
    XlaOp density = density();
    return equal(density, 0).select(density, density.mul(relativeDerivative()));
  }

  /** Minus the derivative of P by a over that by x: the latter is density a / x exp(-error). */
  XlaOp sampleDerivative() {
    XlaOp correction = GammaFunctions.stirlingError(a).exp();
    return x.div(a).mul(correction).mul(relativeDerivative()).neg();
  }
}
