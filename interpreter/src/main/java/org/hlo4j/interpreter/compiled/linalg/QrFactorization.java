package org.hlo4j.interpreter.compiled.linalg;

/**
 * The QR factorization of matrices of doubles by Householder reflections. The operations on each
 * element are those of the reference, in the reference's order, but loops run along rows, and there
 * are no objects.
 */
final class QrFactorization {
  private QrFactorization() {}

  /**
   * Divides in the way in which the reference divides complex numbers, so that ties between pivots
   * and signs of zeros are the same.
   */
  static double quotient(double dividend, double divisor) {
    double product = dividend * divisor + 0.0;
    double square = divisor * divisor;
    boolean isSafe = square >= Double.MIN_NORMAL && Math.abs(product) < Double.POSITIVE_INFINITY;
    return isSafe ? product / square : dividend / divisor;
  }

  /**
   * Replaces a by R in the upper triangle and, below it, the reflectors without their leading 1.
   * Stores the factors of the reflections in {@code taus}.
   */
  static void qr(double[][] a, double[] taus, Runnable check) {
    for (int k = 0; k < taus.length; k++) {
      check.run();
      taus[k] = reflector(a, k);
      reflect(a, k, taus[k], a, k + 1);
    }
  }

  /** Makes column k zero below its diagonal, stores the reflector there, and returns its tau. */
  private static double reflector(double[][] a, int k) {
    double alpha = a[k][k];
    double below = 0;
    for (int i = k + 1; i < a.length; i++) {
      below = Math.hypot(below, a[i][k]);
    }
    if (below == 0) {
      return 0;
    }
    double beta = -Math.copySign(Math.hypot(alpha, below), alpha);
    for (int i = k + 1; i < a.length; i++) {
      a[i][k] = quotient(a[i][k], alpha - beta);
    }
    a[k][k] = beta;
    return (beta - alpha) / beta;
  }

  /**
   * Computes {@code to = (1 - tau v v*) to} from column {@code first} on, where v is column k of
   * the packed reflectors.
   */
  static void reflect(double[][] packed, int k, double tau, double[][] to, int first) {
    double[] v = new double[to.length];
    for (int i = k + 1; i < v.length; i++) {
      v[i] = packed[i][k];
    }
    double[] sums = to[k].clone();
    RowArithmetic.addMultiples(sums, first, v, k + 1, to);
    for (int j = first; j < sums.length; j++) {
      sums[j] *= tau;
    }
    RowArithmetic.subtract(to[k], 1, sums, first);
    for (int i = k + 1; i < to.length; i++) {
      RowArithmetic.subtract(to[i], v[i], sums, first);
    }
  }

  /**
   * Computes the first columns of the product of the reflectors of {@link #qr}, in {@code q}, which
   * is zero before.
   */
  static void reflectorProduct(double[][] packed, double[] taus, double[][] q, Runnable check) {
    for (int i = 0; i < Math.min(q.length, q[0].length); i++) {
      q[i][i] = 1;
    }
    for (int k = taus.length - 1; k >= 0; k--) {
      check.run();
      reflect(packed, k, taus[k], q, 0);
    }
  }

  /** Copies the lower or the upper triangle to the other one. */
  static void mirror(double[][] a, boolean lower) {
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < i; j++) {
        if (lower) {
          a[j][i] = a[i][j];
        } else {
          a[i][j] = a[j][i];
        }
      }
    }
  }
}
