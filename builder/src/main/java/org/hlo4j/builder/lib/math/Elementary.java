package org.hlo4j.builder.lib.math;

import static org.hlo4j.builder.lib.common.Floats.less;
import static org.hlo4j.builder.lib.common.Floats.minus;
import static org.hlo4j.builder.lib.common.Floats.over;
import static org.hlo4j.builder.lib.common.Floats.plus;
import static org.hlo4j.builder.lib.common.Floats.times;

import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.builder.lib.common.Floats;

/**
 * Inverse trigonometric and hyperbolic functions composed of ops that every XLA backend supports.
 */
final class Elementary {
  private static final double LOG_2 = 0.6931471805599453;

  private Elementary() {}

  private static XlaOp largeFrom(XlaOp x) {
    return over(1, Constants.scalarLike(x, Floats.epsilon(x)).sqrt());
  }

  /** sqrt(1 - x^2). */
  private static XlaOp cosineOf(XlaOp x) {
    return minus(1, x).mul(plus(x, 1)).sqrt();
  }

  static XlaOp acos(XlaOp x) {
    return cosineOf(x).atan2(x);
  }

  static XlaOp asin(XlaOp x) {
    return x.atan2(cosineOf(x));
  }

  static XlaOp atan(XlaOp x) {
    return x.atan2(x.fullLike(1));
  }

  /** (re - im) (re + im) + 2 re im i; the real part is 0 where both factors would be 0 and inf. */
  static XlaOp complexSquare(XlaOp x) {
    XlaOp re = x.real();
    XlaOp im = x.imag();
    XlaOp isZero = re.isFinite().and(re.abs().eq(im.abs()));
    XlaOp product = re.mul(im);
    return isZero.select(re.zerosLike(), re.sub(im).mul(re.add(im))).complex(product.add(product));
  }

  /** log(z + sqrt(z^2 + 1)) = log1p(z + z^2 / (1 + sqrt(z^2 + 1))). */
  static XlaOp asinh(XlaOp x) {
    XlaOp z = x.abs();
    XlaOp square = z.mul(z);
    XlaOp near = z.add(square.div(plus(plus(square, 1).sqrt(), 1))).log1p();
    XlaOp far = plus(z.log(), LOG_2);
    return Floats.withSign(z.lt(largeFrom(z)).select(near, far), x);
  }

  /** With t = x - 1: log(x + sqrt(x^2 - 1)) = log1p(t + sqrt(t) sqrt(t + 2)). */
  static XlaOp acosh(XlaOp x) {
    XlaOp t = plus(x, -1);
    XlaOp near = t.add(t.sqrt().mul(plus(t, 2).sqrt())).log1p();
    XlaOp far = plus(x.log(), LOG_2);
    return x.lt(largeFrom(x)).select(near, far);
  }

  static XlaOp atanh(XlaOp x) {
    return times(x.log1p().sub(x.neg().log1p()), 0.5);
  }

  /** Computed from e = exp(z / 2), because exp(z) may be infinite where its half is not. */
  static XlaOp cosh(XlaOp x) {
    XlaOp e = times(x.abs(), 0.5).exp();
    return times(e, 0.5).mul(e).add(over(0.5, e).div(e));
  }

  /** Below 1 by (E + E / (E + 1)) / 2 with E = e^z - 1, else as cosh. */
  static XlaOp sinh(XlaOp x) {
    XlaOp z = x.abs();
    XlaOp e1 = z.expm1();
    XlaOp near = times(e1.add(e1.div(plus(e1, 1))), 0.5);
    XlaOp e = times(z, 0.5).exp();
    XlaOp far = times(e, 0.5).mul(e).sub(over(0.5, e).div(e));
    return Floats.withSign(less(z, 1).select(near, far), x);
  }
}
