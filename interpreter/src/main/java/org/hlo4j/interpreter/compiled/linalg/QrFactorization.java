package org.hlo4j.interpreter.compiled.linalg;

/**
 * The QR factorization of matrices of doubles by Householder reflections. The operations on each
 * element are those of the reference, in the reference's order, but loops run along rows, and there
 * are no objects.
 */
final class QrFactorization {
  private QrFactorization() {}

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
    double greatest = 0;
    for (int i = k + 1; i < a.length; i++) {
      greatest = Math.max(greatest, Math.abs(a[i][k]));
    }
    if (greatest == 0) {
      return 0;
    }
    int exponent = Math.getExponent(Math.max(greatest, Math.abs(a[k][k])));
    double unit = Math.scalb(1.0, -exponent); // so that no square overflows or underflows
    double alpha = a[k][k] * unit;
    double square = 0;
    for (int i = k + 1; i < a.length; i++) {
      a[i][k] *= unit;
      square += a[i][k] * a[i][k];
    }
    double beta = -Math.copySign(Math.sqrt(alpha * alpha + square), alpha);
    for (int i = k + 1; i < a.length; i++) {
      a[i][k] /= alpha - beta;
    }
    a[k][k] = Math.scalb(beta, exponent);
    return (beta - alpha) / beta;
  }

  /**
   * Computes {@code to = (1 - tau v v*) to} from column {@code first} on, where v is column k of
   * the packed reflectors.
   */
  static void reflect(double[][] packed, int k, double tau, double[][] to, int first) {
    if (tau == 0) {
      return;
    }
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
