package org.hlo4j.interpreter.compiled.moves;

import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Factorizations of matrices of doubles, row by row: the reference's steps in the reference's
 * order, so that pivots are the same, but along rows, and without objects.
 */
final class Factorizations {
  private static final int MOST_SWEEPS = 100;
  private static final double SMALL = 1e-32;

  private Factorizations() {}

  /** As the reference divides complex numbers: ties between pivots and signs of 0 are the same. */
  static double quotient(double dividend, double divisor) {
    double product = dividend * divisor + 0.0;
    double square = divisor * divisor;
    boolean isSafe = square >= Double.MIN_NORMAL && Math.abs(product) < Double.POSITIVE_INFINITY;
    return isSafe ? product / square : dividend / divisor;
  }

  /** R above, below the reflectors without their leading 1, in place of a; and the taus. */
  static void qr(double[][] a, double[] taus, Runnable check) {
    for (int k = 0; k < taus.length; k++) {
      check.run();
      taus[k] = reflector(a, k);
      reflect(a, k, taus[k], a, k + 1);
    }
  }

  /** Makes column k zero below its diagonal; what becomes zero holds the reflector. */
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

  /** {@code to = (1 - tau v v*) to} from a column on, v being column k of the packed reflectors. */
  static void reflect(double[][] packed, int k, double tau, double[][] to, int first) {
    double[] v = new double[to.length];
    for (int i = k + 1; i < v.length; i++) {
      v[i] = packed[i][k];
    }
    double[] sums = to[k].clone();
    Rows.addMultiples(sums, first, v, k + 1, to);
    for (int j = first; j < sums.length; j++) {
      sums[j] *= tau;
    }
    Rows.subtract(to[k], 1, sums, first);
    for (int i = k + 1; i < to.length; i++) {
      Rows.subtract(to[i], v[i], sums, first);
    }
  }

  /** The first columns of the product of reflectors that qr gave, in place of zeros. */
  static void reflectorProduct(double[][] packed, double[] taus, double[][] q, Runnable check) {
    for (int i = 0; i < Math.min(q.length, q[0].length); i++) {
      q[i][i] = 1;
    }
    for (int k = taus.length - 1; k >= 0; k--) {
      check.run();
      reflect(packed, k, taus[k], q, 0);
    }
  }

  /** Eigenvectors in columns, and eigenvalues from the least on, of a symmetric matrix. */
  static void eigh(double[][] a, double[][] vectors, double[] values, Runnable check) {
    int n = a.length;
    double[][] v = new double[n][n];
    for (int i = 0; i < n; i++) {
      v[i][i] = 1;
    }
    for (int sweep = 0; sweep < MOST_SWEEPS && !isDiagonal(a); sweep++) {
      for (int p = 0; p < n; p++) {
        check.run();
        for (int q = p + 1; q < n; q++) {
          rotate(a, v, p, q);
        }
      }
    }
    int[] order =
        IntStream.range(0, n)
            .boxed()
            .sorted(Comparator.comparingDouble(i -> a[i][i]))
            .mapToInt(i -> i)
            .toArray();
    for (int j = 0; j < n; j++) {
      values[j] = a[order[j]][order[j]];
      for (int i = 0; i < n; i++) {
        vectors[i][j] = v[order[j]][i];
      }
    }
  }

  /** Copies the triangle that counts to the other one. */
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

  private static boolean isDiagonal(double[][] a) {
    double off = 0;
    double all = 0;
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a.length; j++) {
        double square = a[i][j] * a[i][j];
        all += square;
        off += i == j ? 0 : square;
      }
    }
    return !(off > SMALL * all);
  }

  /** Makes a[p, q] zero: columns p and q, then rows, are mixed by a rotation; v lies by columns. */
  private static void rotate(double[][] a, double[][] v, int p, int q) {
    double off = a[p][q];
    double size = Math.abs(off);
    if (size == 0) {
      return;
    }
    double theta = (a[q][q] - a[p][p]) / (2 * size);
    double t = Math.copySign(1, theta) / (Math.abs(theta) + Math.hypot(theta, 1));
    double cosine = 1 / Math.hypot(t, 1);
    double sine = t * cosine * (off / size);
    for (double[] row : a) {
      double x = row[p];
      double y = row[q];
      row[p] = x * cosine - sine * y;
      row[q] = sine * x + y * cosine;
    }
    Rows.mix(a[p], a[q], cosine, sine);
    Rows.mix(v[p], v[q], cosine, sine);
    a[p][q] = 0;
    a[q][p] = 0;
  }
}
