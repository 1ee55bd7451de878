package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.interpreter.engine.Pieces;

/** The roots of unity {@code e^(-2 pi i k / n)}. */
final class Roots {
  private Roots() {}

  /**
   * Returns the real and the imaginary part of a root. The angle is measured from the nearest axis,
   * so that roots on the axes are exact.
   */
  static double[] root(long k, long n) {
    long quarter = (4 * k + n / 2) / n;
    double angle = 2 * Math.PI * ((double) (4 * k - quarter * n) / (4.0 * n));
    double cos = StrictMath.cos(angle);
    double sin = StrictMath.sin(angle);
    boolean odd = quarter % 2 == 1;
    boolean isNegated = quarter % 4 >= 2;
    double re = odd ? -sin : cos;
    double im = odd ? -cos : -sin;
    return new double[] {isNegated ? -re : re, isNegated ? -im : im};
  }

  /** Returns all {@code n} roots. */
  static FftGrid all(int n) {
    FftGrid roots = new FftGrid(new double[Math.multiplyExact(2, n)], 0, n, n);
    new Pieces(0, n / 2 + 1)
        .forEach(k -> {
          double[] root = root(k, n);
          roots.set(k, root[0], root[1]);
          if (k > 0) {
            roots.set(n - k, root[0], -root[1]);
          }
        });
    if (n % 2 == 0) {
      roots.set(n / 2, -1, 0);
    }
    return roots;
  }
}
