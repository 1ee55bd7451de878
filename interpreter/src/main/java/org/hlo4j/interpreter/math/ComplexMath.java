package org.hlo4j.interpreter.math;

import static org.hlo4j.interpreter.math.Complex.withSign;

/**
 * Complex functions with C99's principal branches, signed zeros and special values (annex G), which
 * are also those of the Python array API standard; free of cancellation. Where the sign of a zero
 * or of an infinity is unspecified, it is that of the argument's part, or positive.
 */
public final class ComplexMath {
  private static final double INFINITY = Double.POSITIVE_INFINITY;

  private ComplexMath() {}

  public static Complex exp(Complex z) {
    return z.re() == -INFINITY && !Double.isFinite(z.im())
        ? Complex.ZERO
        : new Complex(
            RealMath.expTimes(z.re(), cosOfPart(z)),
            RealMath.expTimes(z.re(), StrictMath.sin(z.im())));
  }

  /** Returns cos y, or 1 beside an infinite x where y has no cosine: e^x is still infinite. */
  private static double cosOfPart(Complex z) {
    return Double.isInfinite(z.re()) && !Double.isFinite(z.im()) ? 1 : StrictMath.cos(z.im());
  }

  /** (e^x - 1) cos y - 2 sin^2 (y / 2) + i e^x sin y. */
  public static Complex expm1(Complex z) {
    if (z.re() > 40) {
      return exp(z);
    }
    if (z.re() == -INFINITY && !Double.isFinite(z.im())) {
      return new Complex(-1, 0);
    }
    double s = StrictMath.sin(z.im() / 2);
    double re = StrictMath.expm1(z.re()) * StrictMath.cos(z.im()) - 2 * s * s;
    return new Complex(re + 0.0, exp(z).im()); // no -0
  }

  public static Complex log(Complex z) {
    return new Complex(logAbs(z), arg(z));
  }

  public static Complex log1p(Complex z) {
    double x = z.re();
    if ((x >= -2 && x <= -0.5) || !(z.largestPart() <= 2)) {
      return log(new Complex(1 + x, z.im()));
    }
    return new Complex(halfLog1pOfSquare(2 * x, z), StrictMath.atan2(z.im(), 1 + x));
  }

  private static double arg(Complex z) {
    return StrictMath.atan2(z.im(), z.re());
  }

  private static double logAbs(Complex z) {
    int exponent = z.scalingExponent();
    double abs = z.scaled(-exponent).abs();
    return exponent == 0 && abs > 0.5 && abs < 2
        ? halfLog1pOfSquare(-1, z)
        : StrictMath.log(abs) + exponent * RealMath.LN2;
  }

  /** log(1 + (term + x^2 + y^2)) / 2, with a sum of twice the precision. */
  private static double halfLog1pOfSquare(double term, Complex z) {
    double a = z.largestPart();
    double b = Math.min(Math.abs(z.re()), Math.abs(z.im()));
    double p = a * a;
    double q = b * b;
    double partial = term + p;
    double sum = partial + q;
    double sumLow = RealMath.sumLow(term, p, partial) + RealMath.sumLow(partial, q, sum);
    double squaresLow = RealMath.squareLow(a, p) + RealMath.squareLow(b, q);
    return 0.5 * RealMath.log1p(sum, sumLow + squaresLow);
  }

  /** t + i y / 2t with t = sqrt((|x| + |z|) / 2); for negative x the parts are exchanged. */
  public static Complex sqrt(Complex z) {
    if (z.isZero() || z.isInfinite()) {
      return sqrtOfZeroOrInfinity(z);
    }
    int exponent = z.scalingExponent();
    Complex w = z.scaled(-exponent);
    double t = Math.scalb(Math.sqrt((Math.abs(w.re()) + w.abs()) / 2), exponent / 2);
    double u = z.im() / (2 * t);
    return z.re() < 0 ? new Complex(Math.abs(u), Math.copySign(t, z.im())) : new Complex(t, u);
  }

  private static Complex sqrtOfZeroOrInfinity(Complex z) {
    if (z.isZero()) {
      return new Complex(0, z.im());
    }
    if (Double.isInfinite(z.im())) {
      return new Complex(INFINITY, z.im());
    }
    double zeroOrNaN = Math.abs(0 * z.im());
    return z.re() > 0
        ? new Complex(INFINITY, withSign(zeroOrNaN, z.im()))
        : new Complex(zeroOrNaN, withSign(INFINITY, z.im()));
  }

  public static Complex rsqrt(Complex z) {
    Complex root = sqrt(z);
    if (z.isZero() || z.isInfinite()) {
      return Complex.ONE.dividedBy(root);
    }
    double abs = root.abs();
    return new Complex(root.re() / abs / abs, -root.im() / abs / abs);
  }

  public static Complex cbrt(Complex z) {
    int exponent = z.scalingExponent();
    Complex root = polar(StrictMath.cbrt(z.scaled(-exponent).abs()), arg(z) / 3);
    return z.isZero() ? Complex.ZERO : root.scaled(exponent / 3);
  }

  private static Complex polar(double abs, double angle) {
    return new Complex(times(abs, StrictMath.cos(angle)), times(abs, StrictMath.sin(angle)));
  }

  /** Returns a * b, but 0 if one factor is 0, whatever the other. */
  private static double times(double a, double b) {
    return a == 0 || b == 0 ? withSign(0, a) * withSign(1, b) : a * b;
  }

  /** 0^0 = 1. */
  public static Complex pow(Complex z, Complex exponent) {
    if (exponent.isZero()) {
      return Complex.ONE;
    }
    if (z.isZero()) {
      return powOfZero(exponent);
    }
    double c = exponent.re();
    double d = exponent.im();
    double angle = times(d, logAbs(z)) + times(c, arg(z));
    double abs = RealMath.pow(z.abs(), c);
    double shrink = -times(d, arg(z));
    return abs > 0 && abs < INFINITY
        ? polar(RealMath.expTimes(shrink, abs), angle)
        : exp(new Complex(times(c, logAbs(z)) + shrink, angle));
  }

  private static Complex powOfZero(Complex exponent) {
    if (exponent.re() > 0 && !exponent.isNaN()) {
      return Complex.ZERO;
    }
    return exponent.re() < 0 ? new Complex(INFINITY, Double.NaN) : Complex.NAN;
  }

  /**
   * -i log((x + i y) / sqrt(x^2 + y^2)) as a coarse value, refined by atan(y / x) plus 0, pi or
   * -pi.
   */
  public static Complex atan2(Complex y, Complex x) {
    Complex hypotenuse = sqrt(x.times(x).plus(y.times(y)));
    Complex coarse = log(x.plus(y.timesI()).dividedBy(hypotenuse)).timesMinusI();
    Complex fine = atan(y.dividedBy(x));
    if (!coarse.isFinite() || !fine.isFinite()) {
      return coarse;
    }
    double shift = Math.rint((coarse.re() - fine.re()) / Math.PI) * Math.PI;
    boolean leavesRange = shift * fine.re() > 0;
    return new Complex(fine.re() + (leavesRange ? -shift : shift), fine.im());
  }

  /** z / |z|, and 0 for 0. */
  public static Complex sign(Complex z) {
    if (z.isNaN() || z.isZero()) {
      return z.isNaN() ? Complex.NAN : Complex.ZERO;
    }
    Complex w = z.scaled(-z.scalingExponent());
    double abs = w.abs();
    return new Complex(w.re() / abs, w.im() / abs);
  }

  public static Complex sinh(Complex z) {
    double x = z.re();
    double cos = cosOfPart(z);
    double sin = StrictMath.sin(z.im());
    return Math.abs(x) > 22 // e^-|x| rounds off beside e^|x|
        ? new Complex(
            RealMath.expTimes(Math.abs(x), Math.copySign(0.5, x) * cos),
            halfExpTimes(Math.abs(x), sin))
        : new Complex(times(RealMath.sinh(x), cos), times(RealMath.cosh(x), sin));
  }

  public static Complex cosh(Complex z) {
    double x = z.re();
    double cos = cosOfPart(z);
    double sin = StrictMath.sin(z.im());
    return Math.abs(x) > 22
        ? new Complex(
            RealMath.expTimes(Math.abs(x), 0.5 * cos),
            halfExpTimes(Math.abs(x), Math.copySign(1, x) * sin))
        : new Complex(RealMath.cosh(x) * cos, times(RealMath.sinh(x), sin));
  }

  /** Returns e^x * factor / 2, where neither e^x overflows too early nor the factor underflows. */
  private static double halfExpTimes(double x, double factor) {
    return Math.abs(factor) < Double.MIN_NORMAL * 2
        ? 0.5 * RealMath.expTimes(x, factor)
        : RealMath.expTimes(x, 0.5 * factor);
  }

  /** (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y). */
  public static Complex tanh(Complex z) {
    double x = z.re();
    double cos = StrictMath.cos(z.im());
    double sin = StrictMath.sin(z.im());
    if (Double.isInfinite(x)) {
      double signed = Double.isFinite(z.im()) ? sin * cos : z.im();
      return new Complex(Math.copySign(1, x), withSign(0, signed));
    }
    if (x != 0 && !Double.isFinite(z.im())) {
      return Complex.NAN;
    }
    if (Math.abs(x) > 22) {
      double im = RealMath.expTimes(-2 * Math.abs(x), 4 * sin * cos);
      return new Complex(Math.copySign(1, x), im);
    }
    double s = RealMath.sinh(x);
    double d = s * s + cos * cos;
    return new Complex(s == 0 ? s : s * RealMath.cosh(x) / d, sin == 0 ? sin : sin * cos / d);
  }

  public static Complex sin(Complex z) {
    return sinh(z.timesI()).timesMinusI();
  }

  public static Complex cos(Complex z) {
    return cosh(z.timesI());
  }

  public static Complex tan(Complex z) {
    return tanh(z.timesI()).timesMinusI();
  }

  /**
   * 1 / (1 + e^-z) = (e^x + cos y + i sin y) / 4 (s^2 + c^2), where e^x + cos y = 2 (s e^(x / 2) +
   * c^2), with s = sinh(x / 2) and c = cos(y / 2).
   */
  public static Complex logistic(Complex z) {
    double x = z.re();
    double y = z.im();
    if (Math.abs(x) > 40 && (Double.isFinite(y) || Double.isInfinite(x))) {
      return x < 0 ? exp(z) : new Complex(1, -exp(z.negate()).im());
    }
    double s = RealMath.sinh(x / 2);
    double c = StrictMath.cos(y / 2);
    double d = 2 * (s * s + c * c);
    double re =
        x < -1 ? (StrictMath.exp(x) + StrictMath.cos(y)) / 2 : s * StrictMath.exp(x / 2) + c * c;
    return new Complex(re / d, StrictMath.sin(y / 2) * c / d);
  }

  /** Returns whether 1 rounds off beside z^2. */
  private static boolean isLarge(Complex z) {
    return z.largestPart() > 0x1p28;
  }

  /** Returns whether the imaginary part is so small that halves of it would lose digits. */
  private static boolean isNearlyReal(Complex z) {
    return Math.abs(z.re()) < 1 && z.im() != 0 && Math.abs(z.im()) < 0x1p-960;
  }

  /** sqrt(1 - x^2). */
  private static double slope(double x) {
    return Math.sqrt((1 - x) * (1 + x));
  }

  // With p = sqrt(1 - z) and q = sqrt(1 + z), the parts of asin and acos are real functions of
  // products of the parts of p and q, without cancellation. 1 - z and 1 + z do not cancel either,
  // since they are exact where they are small.

  private static Complex sqrtOneMinus(Complex z) {
    return sqrt(new Complex(1 - z.re(), -z.im()));
  }

  private static Complex sqrtOnePlus(Complex z) {
    return sqrt(new Complex(1 + z.re(), z.im()));
  }

  /** atan(x / Re(p q)) + i asinh(Im(conj(p) q)). */
  public static Complex asin(Complex z) {
    if (z.isNaN()) {
      return arcOfNaN(z, z.re(), INFINITY);
    }
    if (isNearlyReal(z)) {
      return new Complex(StrictMath.asin(z.re()), z.im() / slope(z.re()));
    }
    if (isLarge(z)) {
      return new Complex(
          StrictMath.atan2(z.re(), Math.abs(z.im())), Math.copySign(logTwiceAbs(z), z.im()));
    }
    Complex p = sqrtOneMinus(z);
    Complex q = sqrtOnePlus(z);
    return new Complex(
        StrictMath.atan2(z.re(), p.re() * q.re() - p.im() * q.im()),
        RealMath.asinh(p.re() * q.im() - p.im() * q.re()));
  }

  /** 2 atan(Re p / Re q) + i asinh(Im(conj(q) p)). */
  public static Complex acos(Complex z) {
    if (z.isNaN()) {
      return arcOfNaN(z, Math.PI / 2, -INFINITY);
    }
    if (isNearlyReal(z)) {
      return new Complex(StrictMath.acos(z.re()), -z.im() / slope(z.re()));
    }
    if (isLarge(z)) {
      return new Complex(
          StrictMath.atan2(Math.abs(z.im()), z.re()), Math.copySign(logTwiceAbs(z), -z.im()));
    }
    Complex p = sqrtOneMinus(z);
    Complex q = sqrtOnePlus(z);
    return new Complex(
        2 * StrictMath.atan2(p.re(), q.re()), RealMath.asinh(q.re() * p.im() - q.im() * p.re()));
  }

  /**
   * Returns asin or acos of a number with a NaN in it, given the real part of that of an imaginary
   * number, and the imaginary part of that of i inf.
   */
  private static Complex arcOfNaN(Complex z, double ofImaginary, double ofInfinity) {
    return z.isInfinite()
        ? new Complex(Double.NaN, withSign(1, z.im()) * ofInfinity)
        : new Complex(z.re() == 0 ? ofImaginary : Double.NaN, Double.NaN);
  }

  private static double logTwiceAbs(Complex z) {
    return logAbs(z) + RealMath.LN2;
  }

  /** Returns i or -i times acos z, whichever has the positive real part. */
  public static Complex acosh(Complex z) {
    Complex w = acos(z);
    return new Complex(Math.abs(w.im()), withSign(w.re(), z.im()));
  }

  /** log1p(4 x / ((1 - x)^2 + y^2)) / 4 + i atan2(2 y, (1 - x) (1 + x) - y^2) / 2. */
  public static Complex atanh(Complex z) {
    if (z.isNaN()) {
      boolean hasZero = z.re() == 0 || z.isInfinite();
      return new Complex(
          hasZero ? withSign(0, z.re()) : Double.NaN,
          withSign(Double.isInfinite(z.im()) ? Math.PI / 2 : Double.NaN, z.im()));
    }
    double x = Math.abs(z.re());
    double y = Math.abs(z.im());
    if (z.largestPart() > 0x1p60) {
      int exponent = z.scalingExponent();
      Complex w = z.scaled(-exponent);
      double re = z.isInfinite() ? 0 : Math.abs(w.re()) / w.abs() / w.abs();
      return withSigns(Math.scalb(re, -exponent), Math.PI / 2, z);
    }
    double re =
        x == 1 && y < 0x1p-100
            ? 0.5 * (RealMath.LN2 - StrictMath.log(y))
            : 0.25 * StrictMath.log1p(4 * x / ((1 - x) * (1 - x) + y * y));
    return withSigns(re, 0.5 * StrictMath.atan2(2 * y, (1 - x) * (1 + x) - y * y), z);
  }

  private static Complex withSigns(double re, double im, Complex signs) {
    return new Complex(Math.copySign(re, signs.re()), Math.copySign(im, signs.im()));
  }

  public static Complex asinh(Complex z) {
    return asin(z.timesI()).timesMinusI();
  }

  public static Complex atan(Complex z) {
    return atanh(z.timesI()).timesMinusI();
  }
}
