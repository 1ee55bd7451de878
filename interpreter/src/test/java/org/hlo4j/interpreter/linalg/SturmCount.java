package org.hlo4j.interpreter.linalg;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Literal;

/**
 * How many singular values of a square upper bidiagonal matrix are less than a number, by
 * Sylvester's law of inertia, with 50 digits. The matrix (0 B; B* 0) has the eigenvalues s and -s
 * for each singular value s of B; with its rows and columns in another order it is tridiagonal,
 * with zeros on the diagonal and the elements of B beside it.
 */
final class SturmCount {
  private static final MathContext DIGITS = new MathContext(50);
  private static final BigDecimal TINY = new BigDecimal("1e-100000");

  private final int n;
  private final List<BigDecimal> squares = new ArrayList<>();

  SturmCount(Literal a) {
    this.n = (int) a.arrayShape().size(0);
    for (int i = 0; i < n; i++) {
      squares.add(square(a, i * n + i));
      if (i + 1 < n) {
        squares.add(square(a, i * n + i + 1));
      }
    }
  }

  private static BigDecimal square(Literal a, int i) {
    boolean isComplex = a.elementType().isComplex();
    BigDecimal re = new BigDecimal(isComplex ? a.realAt(i) : a.doubleAt(i));
    BigDecimal im = new BigDecimal(isComplex ? a.imaginaryAt(i) : 0);
    return re.multiply(re).add(im.multiply(im)).round(DIGITS);
  }

  /** Returns the number of singular values less than x. */
  private int below(BigDecimal x) {
    if (x.signum() <= 0) {
      return 0;
    }
    BigDecimal pivot = x.negate();
    int negative = 1;
    for (BigDecimal square : squares) {
      pivot = x.negate().subtract(square.divide(pivot, DIGITS)).round(DIGITS);
      pivot = pivot.signum() == 0 ? TINY : pivot;
      negative += pivot.signum() < 0 ? 1 : 0;
    }
    return negative - n;
  }

  /**
   * Returns how far off a value is that should be the k-th greatest singular value, from 0: a
   * multiple of a unit, which is a part of the value and an amount; rounded up to a power of two.
   */
  double error(double value, int k, double part, double amount) {
    double units = 1.0 / 64;
    while (units < 0x1p60 && !isWithin(value, k, units * part, units * amount)) {
      units *= 2;
    }
    return units;
  }

  private boolean isWithin(double value, int k, double part, double amount) {
    BigDecimal exact = new BigDecimal(value);
    BigDecimal error = exact.multiply(new BigDecimal(part)).add(new BigDecimal(amount));
    return below(exact.subtract(error).round(DIGITS)) <= n - 1 - k
        && below(exact.add(error).round(DIGITS)) >= n - k;
  }
}
