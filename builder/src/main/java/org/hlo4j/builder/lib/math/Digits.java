package org.hlo4j.builder.lib.math;

import java.math.BigDecimal;
import java.util.Arrays;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Floats;

/** How many digits the terms of a series are summed to. */
enum Digits {
  /** Those of f32, computed in f32. */
  SINGLE(0x1p-26),

  /** Some more than those of f32, computed in f64, so that it is the last rounding that counts. */
  GUARDED(0x1p-40),

  /** Those of f64, computed in f64. */
  DOUBLE(0x1p-56);

  private final double negligible;

  Digits(double negligible) {
    this.negligible = negligible;
  }

  /** Returns the digits of the type that x has, computed in that type. */
  static Digits of(XlaOp x) {
    return Floats.isDouble(x) ? DOUBLE : SINGLE;
  }

  /**
   * Evaluates {@code c[n-1] / 2 + sum of c[n-1-k] T_k(t)} for t from -1 to 1, with the coefficient
   * of the highest degree first. It is summed by powers of t: half the operations of Clenshaw's
   * rule, and no digit is lost where the powers' coefficients are not much greater than the sum.
   */
  XlaOp chebyshev(XlaOp t, double... coefficients) {
    return Floats.polynomial(t, powers(needed(1, coefficients)));
  }

  /** Evaluates a polynomial, the highest power first, of an x that is at most {@code greatest}. */
  XlaOp polynomial(XlaOp x, double greatest, double... coefficients) {
    return Floats.polynomial(x, needed(greatest, coefficients));
  }

  /** Leaves out the highest powers that are negligible beside the greatest. */
  private double[] needed(double greatest, double... coefficients) {
    double largest = 0;
    int first = coefficients.length;
    for (int k = 0; k < coefficients.length; k++) {
      double size = Math.abs(coefficients[coefficients.length - 1 - k]) * Math.pow(greatest, k);
      largest = Math.max(largest, size);
      first = size > negligible * largest ? coefficients.length - 1 - k : first;
    }
    return Arrays.copyOfRange(coefficients, first, coefficients.length);
  }

  /** Returns the same sum by powers of t: T_0 = 1, T_1 = t, T_k = 2 t T_(k-1) - T_(k-2). */
  private static double[] powers(double... chebyshev) {
    int count = chebyshev.length;
    BigDecimal[] before = zeros(count);
    BigDecimal[] last = zeros(count);
    BigDecimal[] sum = zeros(count);
    for (int k = 0; k < count; k++) {
      BigDecimal[] next = zeros(count);
      next[0] = k == 0 ? BigDecimal.ONE : before[0].negate();
      BigDecimal twice = BigDecimal.valueOf(k == 1 ? 1 : 2);
      for (int i = 1; i < count; i++) {
        next[i] = twice.multiply(last[i - 1]).subtract(before[i]);
      }
      double weight = chebyshev[count - 1 - k];
      for (int i = 0; i < count; i++) {
        sum[i] = sum[i].add(next[i].multiply(new BigDecimal(k == 0 ? weight / 2 : weight)));
      }
      before = last;
      last = next;
    }
    return highestFirst(sum);
  }

  private static BigDecimal[] zeros(int count) {
    BigDecimal[] zeros = new BigDecimal[count];
    Arrays.fill(zeros, BigDecimal.ZERO);
    return zeros;
  }

  private static double[] highestFirst(BigDecimal... ascending) {
    double[] all = new double[ascending.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = ascending[all.length - 1 - i].doubleValue();
    }
    return all;
  }
}
