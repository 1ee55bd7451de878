package org.hlo4j.interpreter.math;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * The error function, by Taylor series around the multiple of 1/8 below x.
 *
 * <p>The derivative g of erf satisfies g'(x) = -2 x g(x), so that around a, g(a + h) = sum g[n] h^n
 * with (n + 1) g[n + 1] = -2 (a g[n] + g[n - 1]); integrated, erf(a + h) = erf(a) + sum g[n] / (n +
 * 1) h^(n + 1). The values at the multiples are computed with 128 bits when first needed.
 */
final class Erf {
  private static final int STEPS = 8;

  /** erf(6) rounds to 1. */
  private static final int LIMIT = 6;

  private static final int TERMS = 17;

  /** Fixed-point numbers are BigIntegers in units of 2^-BITS. */
  private static final int BITS = 128;

  /** 2 / sqrt(pi). */
  private static final BigInteger SLOPE_AT_ZERO =
      fixed(new BigDecimal("1.12837916709551257389615890312154517168810125865799771368817144"));

  private static final double SLOPE_AT_ZERO_LOW = low(SLOPE_AT_ZERO);

  /** Row k expands around k / 8. */
  private static final TaylorExpansion[] EXPANSIONS = rows();

  private Erf() {}

  static double erf(double x) {
    double a = Math.abs(x);
    if (!(a < LIMIT)) {
      return Math.signum(x);
    }
    int k = (int) (a * STEPS);
    double h = a - (double) k / STEPS; // exact
    return Math.copySign(k == 0 ? evaluateNearZero(h) : EXPANSIONS[k].evaluate(h), x);
  }

  // Relative accuracy matters here: the first coefficient has to be better than a double.
  private static double evaluateNearZero(double h) {
    TaylorExpansion row = EXPANSIONS[0];
    return Math.fma(h, row.coefficients[0], h * (SLOPE_AT_ZERO_LOW + h * row.tail(h)));
  }

  /** erf(a) = value + valueLow, and the coefficients of h, h^2, ... */
  private static final class TaylorExpansion {
    final double value;
    final double valueLow;
    final double[] coefficients;

    TaylorExpansion(BigInteger value, double[] coefficients) {
      this.value = high(value);
      this.valueLow = low(value);
      this.coefficients = coefficients;
    }

    double evaluate(double h) {
      return value + Math.fma(h, coefficients[0] + h * tail(h), valueLow);
    }

    /** The sum of c[n] h^(n - 1) from n = 1. */
    double tail(double h) {
      double sum = 0;
      for (int n = TERMS - 1; n > 0; n--) {
        sum = Math.fma(sum, h, coefficients[n]);
      }
      return sum;
    }
  }

  private static TaylorExpansion[] rows() {
    TaylorExpansion[] rows = new TaylorExpansion[LIMIT * STEPS];
    for (int k = 0; k < rows.length; k++) {
      rows[k] = row(k);
    }
    return rows;
  }

  /**
   * erf(a) = 2 / sqrt(pi) * a * sum (-a^2)^n / (n! (2n + 1)), where a = k / 8; the slope there is
   * the same without a and (2n + 1).
   */
  private static TaylorExpansion row(int k) {
    BigInteger minusSquare = BigInteger.valueOf(-(long) k * k);
    BigInteger power = BigInteger.ONE.shiftLeft(BITS);
    BigInteger slope = power;
    BigInteger mean = power;
    for (int n = 1; power.signum() != 0; n++) {
      power = power.multiply(minusSquare).divide(BigInteger.valueOf((long) STEPS * STEPS * n));
      slope = slope.add(power);
      mean = mean.add(power.divide(BigInteger.valueOf(2L * n + 1)));
    }
    BigInteger value = timesSlopeAtZero(mean.multiply(BigInteger.valueOf(k)));
    return new TaylorExpansion(
        value.divide(BigInteger.valueOf(STEPS)),
        coefficients((double) k / STEPS, high(timesSlopeAtZero(slope))));
  }

  private static double[] coefficients(double a, double slope) {
    double[] g = new double[TERMS];
    g[0] = slope;
    g[1] = -2 * a * slope;
    for (int n = 1; n + 1 < TERMS; n++) {
      g[n + 1] = -2 * (a * g[n] + g[n - 1]) / (n + 1);
    }
    for (int n = 0; n < TERMS; n++) {
      g[n] /= n + 1;
    }
    return g;
  }

  private static BigInteger timesSlopeAtZero(BigInteger fixed) {
    return fixed.multiply(SLOPE_AT_ZERO).shiftRight(BITS);
  }

  private static BigInteger fixed(BigDecimal value) {
    return value.multiply(new BigDecimal(BigInteger.TWO.pow(BITS))).toBigInteger();
  }

  private static double high(BigInteger fixed) {
    return Math.scalb(fixed.doubleValue(), -BITS);
  }

  /** Returns the remainder that {@link #high} rounds off, as a double. */
  private static double low(BigInteger fixed) {
    BigInteger high = new BigDecimal(fixed.doubleValue()).toBigInteger();
    return high(fixed.subtract(high));
  }
}
