package org.hlo4j.interpreter.compiled.moves;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Factorizations of matrices of doubles that lie by rows: the reference's steps in the reference's
 * order, so that pivots are the same, but along rows, and without objects.
 */
final class Factorizations {
  private static final int MOST_SWEEPS = 100;
  private static final double SMALL = 1e-32;

  private Factorizations() {}

  /** L and u in one matrix in place of a; pivots gets the row swapped with each, from 1. */
  static void lu(double[] a, int rows, int columns, double[] pivots, Runnable check) {
    for (int k = 0; k < pivots.length; k++) {
      check.run();
      int pivot = largestBelow(a, rows, columns, k);
      pivots[k] = pivot + 1;
      swapRows(a, columns, k, pivot);
      double diagonal = a[k * columns + k];
      for (int i = k + 1; i < rows && diagonal != 0; i++) {
        double factor = quotient(a[i * columns + k], diagonal);
        a[i * columns + k] = factor;
        subtractRow(a, i * columns, factor, a, k * columns, k + 1, columns);
      }
    }
  }

  private static int largestBelow(double[] a, int rows, int columns, int k) {
    int largest = k;
    for (int i = k + 1; i < rows; i++) {
      boolean isLarger = Math.abs(a[i * columns + k]) > Math.abs(a[largest * columns + k]);
      largest = isLarger ? i : largest;
    }
    return largest;
  }

  private static void swapRows(double[] a, int columns, int one, int other) {
    for (int j = 0; j < columns; j++) {
      double kept = a[one * columns + j];
      a[one * columns + j] = a[other * columns + j];
      a[other * columns + j] = kept;
    }
  }

  /** As the reference divides complex numbers: ties between pivots and signs of 0 are the same. */
  private static double quotient(double dividend, double divisor) {
    double product = dividend * divisor + 0.0;
    double square = divisor * divisor;
    boolean isSafe = square >= Double.MIN_NORMAL && Math.abs(product) < Double.POSITIVE_INFINITY;
    return isSafe ? product / square : dividend / divisor;
  }

  /** {@code to[t + j] -= factor * from[f + j]} for j from one on, below another */
  private static void subtractRow(
      double[] to, int t, double factor, double[] from, int f, int first, int end) {
    for (int j = first; j < end; j++) {
      to[t + j] -= factor * from[f + j];
    }
  }

  /** {@code to[t + j] += factor * from[f + j]} for j from one on, below another */
  private static void addRow(
      double[] to, int t, double factor, double[] from, int f, int first, int end) {
    for (int j = first; j < end; j++) {
      to[t + j] += factor * from[f + j];
    }
  }

  /** R above, below the reflectors without their leading 1, in place of a; and the taus. */
  static void qr(double[] a, int rows, int columns, double[] taus, Runnable check) {
    for (int k = 0; k < taus.length; k++) {
      check.run();
      taus[k] = reflector(a, rows, columns, k);
      reflect(a, rows, k, taus[k], a, columns, k + 1);
    }
  }

  /** Makes column k zero below its diagonal; what becomes zero holds the reflector. */
  private static double reflector(double[] a, int rows, int columns, int k) {
    double alpha = a[k * columns + k];
    double below = 0;
    for (int i = k + 1; i < rows; i++) {
      below = Math.hypot(below, a[i * columns + k]);
    }
    if (below == 0) {
      return 0;
    }
    double beta = -Math.copySign(Math.hypot(alpha, below), alpha);
    for (int i = k + 1; i < rows; i++) {
      a[i * columns + k] = quotient(a[i * columns + k], alpha - beta);
    }
    a[k * columns + k] = beta;
    return (beta - alpha) / beta;
  }

  /** {@code to = (1 - tau v v*) to} from a column on, v being column k of the packed reflectors. */
  private static void reflect(
      double[] packed, int rows, int k, double tau, double[] to, int columns, int first) {
    double[] sums = Arrays.copyOfRange(to, k * columns, (k + 1) * columns);
    for (int i = k + 1; i < rows; i++) {
      addRow(sums, 0, packed[i * columns + k], to, i * columns, first, columns);
    }
    for (int j = first; j < columns; j++) {
      sums[j] *= tau;
    }
    subtractRow(to, k * columns, 1, sums, 0, first, columns);
    for (int i = k + 1; i < rows; i++) {
      subtractRow(to, i * columns, packed[i * columns + k], sums, 0, first, columns);
    }
  }

  /** The first columns of the product of reflectors that qr gave. */
  static void reflectorProduct(
      double[] packed, double[] taus, int rows, int columns, double[] q, Runnable check) {
    for (int i = 0; i < Math.min(rows, columns); i++) {
      q[i * columns + i] = 1;
    }
    for (int k = taus.length - 1; k >= 0; k--) {
      check.run();
      reflect(packed, rows, k, taus[k], q, columns, 0);
    }
  }

  /** Eigenvectors in columns, and eigenvalues from the least on, of a symmetric matrix. */
  static void eigh(double[] a, int n, double[] vectors, double[] values, Runnable check) {
    double[] v = new double[n * n];
    for (int i = 0; i < n; i++) {
      v[i * n + i] = 1;
    }
    for (int sweep = 0; sweep < MOST_SWEEPS && !isDiagonal(a, n); sweep++) {
      for (int p = 0; p < n; p++) {
        check.run();
        for (int q = p + 1; q < n; q++) {
          rotate(a, v, n, p, q);
        }
      }
    }
    int[] order =
        IntStream.range(0, n)
            .boxed()
            .sorted(Comparator.comparingDouble(i -> a[i * n + i]))
            .mapToInt(i -> i)
            .toArray();
    for (int j = 0; j < n; j++) {
      values[j] = a[order[j] * n + order[j]];
      for (int i = 0; i < n; i++) {
        vectors[i * n + j] = v[order[j] * n + i];
      }
    }
  }

  /** Copies the triangle that counts to the other one. */
  static void mirror(double[] a, int n, boolean lower) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        if (lower) {
          a[j * n + i] = a[i * n + j];
        } else {
          a[i * n + j] = a[j * n + i];
        }
      }
    }
  }

  private static boolean isDiagonal(double[] a, int n) {
    double off = 0;
    double all = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        double square = a[i * n + j] * a[i * n + j];
        all += square;
        off += i == j ? 0 : square;
      }
    }
    return !(off > SMALL * all);
  }

  /** Makes a[p, q] zero: columns p and q, then rows, are mixed by a rotation; v lies by columns. */
  private static void rotate(double[] a, double[] v, int n, int p, int q) {
    double off = a[p * n + q];
    double size = Math.abs(off);
    if (size == 0) {
      return;
    }
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * size);
    double t = Math.copySign(1, theta) / (Math.abs(theta) + Math.hypot(theta, 1));
    double cosine = 1 / Math.hypot(t, 1);
    double sine = t * cosine * (off / size);
    for (int i = 0; i < n * n; i += n) {
      double x = a[i + p];
      double y = a[i + q];
      a[i + p] = x * cosine - sine * y;
      a[i + q] = sine * x + y * cosine;
    }
    mixRows(a, p * n, q * n, n, cosine, sine);
    mixRows(v, p * n, q * n, n, cosine, sine);
    a[p * n + q] = 0;
    a[q * n + p] = 0;
  }

  private static void mixRows(double[] m, int p, int q, int n, double cosine, double sine) {
    for (int j = 0; j < n; j++) {
      double x = m[p + j];
      double y = m[q + j];
      m[p + j] = x * cosine - sine * y;
      m[q + j] = sine * x + y * cosine;
    }
  }
}
