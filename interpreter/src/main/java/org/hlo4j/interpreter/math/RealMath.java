package org.hlo4j.interpreter.math;

/**
 * Real functions that StrictMath lacks, computes less accurately, or defines otherwise than HLO.
 *
 * <p>All are within 2 ulp. Names ending in {@code Low} hold the rounding error of the number named
 * before it, so that the sum of the two is exact or nearly so.
 */
public final class RealMath {
  static final double LN2 = 0x1.62e42fefa39efp-1;

  /** ln 2 - LN2. */
  private static final double LN2_LOW = 2.3190468138462996e-17;

  /** Below this, f(x) = x + O(x^3) rounds to x. Above its inverse, 1 can be dropped beside x^2. */
  private static final double TINY = 0x1p-28;

  /** The exponent beyond which, in either direction, squares may overflow or underflow. */
  private static final int MAX_UNSCALED_EXPONENT = 400;

  private RealMath() {}

  /**
   * Returns the power of two to divide a matrix by before it is decomposed; 0 if that is not
   * needed. What remains is as large as squares allow, so that its small elements do not underflow.
   *
   * @param greatest the greatest magnitude of an element, a finite number
   */
  public static int scalingExponent(double greatest) {
    int exponent = Math.getExponent(greatest);
    return Math.abs(exponent) > MAX_UNSCALED_EXPONENT && greatest > 0
        ? exponent - MAX_UNSCALED_EXPONENT
        : 0;
  }

  public static double erf(double x) {
    return Erf.erf(x);
  }

  /** (E + E / (E + 1)) / 2 with E = e^x - 1. */
  public static double sinh(double x) {
    double a = Math.abs(x);
    if (a < TINY) {
      return x;
    }
    if (a > 22) {
      return expTimes(a, Math.copySign(0.5, x));
    }
    double e = StrictMath.expm1(a);
    double d = e + 1;
    double q = e / d;
    double qLow = quotientLow(e, d, sumLow(e, 1, d), q);
    return Math.copySign(halfSum(e, q, qLow), x);
  }

  /** (e^x + 1 / e^x) / 2. */
  public static double cosh(double x) {
    double a = Math.abs(x);
    if (a > 22) {
      return expTimes(a, 0.5);
    }
    double e = StrictMath.exp(a);
    double q = 1 / e;
    return halfSum(e, q, quotientLow(1, e, 0, q));
  }

  private static double halfSum(double a, double b, double bLow) {
    double sum = a + b;
    return 0.5 * (sum + (sumLow(a, b, sum) + bLow));
  }

  /** E / (E + 2) with E = e^2x - 1. */
  public static double tanh(double x) {
    double a = Math.abs(x);
    if (a < TINY) {
      return x;
    }
    if (a > 22) {
      return Math.copySign(1, x);
    }
    double e = StrictMath.expm1(2 * a);
    double d = e + 2;
    return Math.copySign(quotient(e, d, sumLow(e, 2, d)), x);
  }

  /** log1p(x + (sqrt(1 + x^2) - 1)). */
  public static double asinh(double x) {
    double a = Math.abs(x);
    if (a < TINY) {
      return x;
    }
    if (a > 1 / TINY) {
      return Math.copySign(logTwice(a), x);
    }
    double p = a * a;
    double s = 1 + p;
    double sLow = sumLow(1, p, s) + squareLow(a, p);
    double r = Math.sqrt(s);
    double b = r - 1; // exact
    double u = a + b;
    return Math.copySign(log1p(u, sumLow(a, b, u) + sqrtLow(s, sLow, r)), x);
  }

  /** log1p((x - 1) + sqrt(x^2 - 1)). */
  public static double acosh(double x) {
    if (!(x > 1)) {
      return x == 1 ? 0 : Double.NaN;
    }
    if (x > 1 / TINY) {
      return logTwice(x);
    }
    double p = x * x;
    double s = p - 1;
    double sLow = sumLow(p, -1, s) + squareLow(x, p);
    double r = Math.sqrt(s);
    double b = x - 1; // exact
    double u = b + r;
    return log1p(u, sumLow(b, r, u) + sqrtLow(s, sLow, r));
  }

  /** log1p(2x / (1 - x)) / 2. */
  public static double atanh(double x) {
    double a = Math.abs(x);
    if (a < TINY) {
      return x;
    }
    if (a >= 1) {
      return a == 1 ? x / 0.0 : Double.NaN;
    }
    double d = 1 - a;
    double dLow = sumLow(1, -a, d);
    double q = 2 * a / d;
    return Math.copySign(0.5 * log1p(q, quotientLow(2 * a, d, dLow, q)), x);
  }

  /** 1 / (1 + e^-x), or e^x / (1 + e^x): the exponential never overflows. */
  public static double logistic(double x) {
    double e = StrictMath.exp(-Math.abs(x));
    double d = 1 + e;
    return quotient(x < 0 ? e : 1, d, sumLow(1, e, d));
  }

  public static double rsqrt(double x) {
    if (!(x > 0 && x < Double.POSITIVE_INFINITY)) {
      return 1 / Math.sqrt(x);
    }
    if (x < 0x1p-900) {
      return rsqrt(x * 0x1p200) * 0x1p100;
    }
    double r = Math.sqrt(x);
    return quotient(1, r, sqrtLow(x, 0, r));
  }

  /** Returns a power as in C: 1 to any power is 1, even NaN, and so is -1 to an infinite power. */
  public static double pow(double x, double y) {
    return x == 1 || (x == -1 && Double.isInfinite(y)) ? 1 : StrictMath.pow(x, y);
  }

  public static double sign(double x) {
    return Math.signum(x);
  }

  public static double roundNearestAfz(double x) {
    double a = Math.abs(x);
    double whole = Math.floor(a);
    return Math.copySign(a - whole >= 0.5 ? whole + 1 : whole, x);
  }

  public static double roundNearestEven(double x) {
    return Math.rint(x);
  }

  /** Returns the remainder, with the sign of the dividend. */
  public static double remainder(double dividend, double divisor) {
    return dividend % divisor;
  }

  /** NaN propagates; -0 is less than +0. */
  public static double maximum(double lhs, double rhs) {
    return Math.max(lhs, rhs);
  }

  /** NaN propagates; -0 is less than +0. */
  public static double minimum(double lhs, double rhs) {
    return Math.min(lhs, rhs);
  }

  /** Compares in the order -NaN, -inf, ..., -0, +0, ..., +inf, +NaN. */
  public static int totalOrderCompare(double lhs, double rhs) {
    return Long.compare(totalOrderKey(lhs), totalOrderKey(rhs));
  }

  private static long totalOrderKey(double x) {
    long bits = Double.doubleToRawLongBits(x);
    return bits ^ ((bits >> 63) >>> 1);
  }

  /** Returns e^x * factor, which is finite wherever the product is, and 0 if the factor is 0. */
  public static double expTimes(double x, double factor) {
    if (factor == 0) {
      return factor;
    }
    if (Math.abs(x) < 700) {
      return StrictMath.exp(x) * factor;
    }
    // e^x = 2^1024 * e^(x - 1024 ln 2); the subtraction of 1024 * LN2 is exact.
    double signum = Math.signum(x);
    double e = StrictMath.exp(x - signum * (1024 * LN2));
    double eLow = e < Double.POSITIVE_INFINITY ? e * (signum * (1024 * -LN2_LOW)) : 0;
    boolean isSmall = x > 0 && Math.abs(factor) < 1; // it may be subnormal, and lose digits
    double product = (e + eLow) * (isSmall ? factor * 0x1p512 : factor);
    return Math.scalb(product, isSmall ? 512 : x > 0 ? 1024 : -1024);
  }

  /** log(1 + x + xLow). */
  public static double log1p(double x, double xLow) {
    return StrictMath.log1p(x) + xLow / (1 + x);
  }

  private static double logTwice(double x) {
    return StrictMath.log(x) + LN2;
  }

  /** n / (d + dLow), rounded about once. */
  private static double quotient(double n, double d, double dLow) {
    double q = n / d;
    return q + quotientLow(n, d, dLow, q);
  }

  /** n / (d + dLow) - q, where q = n / d rounded. */
  private static double quotientLow(double n, double d, double dLow, double q) {
    return (Math.fma(-q, d, n) - q * dLow) / d;
  }

  /** sqrt(s + sLow) - r, where r = sqrt(s) rounded. */
  private static double sqrtLow(double s, double sLow, double r) {
    return (Math.fma(-r, r, s) + sLow) / (2 * r);
  }

  /** a^2 - p exactly, where p = a * a rounded. */
  public static double squareLow(double a, double p) {
    return Math.fma(a, a, -p);
  }

  /** a + b - sum exactly, where sum = a + b rounded. */
  public static double sumLow(double a, double b, double sum) {
    double bRounded = sum - a;
    return (a - (sum - bRounded)) + (b - bRounded);
  }
}
