package org.hlo4j.interpreter.compiled.moves;

import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Singular values and vectors of matrices of doubles: the reference's steps in the reference's
 * order, but without objects, and columns as arrays.
 */
final class SingularValues {
  private static final int MOST_SWEEPS = 100;
  private static final double SMALL = 1e-15;
  private static final int NOT_FINITE = -4;

  private final double[][] w;
  private final double[][] v;

  /** Of columns that are no longer than they are many. */
  private SingularValues(double[][] columns) {
    this.w = columns;
    this.v = new double[columns.length][columns.length];
    for (int i = 0; i < v.length; i++) {
      v[i][i] = 1;
    }
  }

  /**
   * Fills zeros: the matrix as it was, the values, u, v transposed, and the info; u and v as many
   * columns as there is room for, or none.
   */
  static void gesdd(double[][] a, double[][][] to, boolean areVectorsWanted, Runnable check) {
    boolean isWide = a[0].length > a.length;
    double greatest = greatest(a);
    boolean isFinite = Double.isFinite(greatest);
    double unit = isFinite ? Math.scalb(1.0, Math.getExponent(greatest)) : 1;
    SingularValues found = new SingularValues(scaled(isWide ? a : transposed(a), 1 / unit));
    found.rotate(check);
    double[] norms = found.sort();
    to[0] = a;
    for (int i = 0; i < norms.length; i++) {
      to[1][0][i] = norms[i] * unit;
    }
    to[4][0][0] = isFinite ? 0 : NOT_FINITE;
    if (areVectorsWanted) {
      double[][] orthonormal = found.orthonormal(norms, isWide ? to[3].length : to[2][0].length);
      to[2] = transposed(isWide ? found.v : orthonormal);
      to[3] = isWide ? orthonormal : found.v;
    }
  }

  private static double greatest(double[][] a) {
    double greatest = 0;
    for (double[] row : a) {
      for (double element : row) {
        greatest = Math.max(greatest, Math.abs(element));
      }
    }
    return greatest;
  }

  private static double[][] transposed(double[][] a) {
    double[][] transposed = new double[a[0].length][a.length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[0].length; j++) {
        transposed[j][i] = a[i][j];
      }
    }
    return transposed;
  }

  private static double[][] scaled(double[][] a, double factor) {
    double[][] scaled = new double[a.length][a[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[0].length; j++) {
        scaled[i][j] = a[i][j] * factor;
      }
    }
    return scaled;
  }

  /** Mixes columns by pairs until all are at right angles. */
  private void rotate(Runnable check) {
    boolean isDone = false;
    for (int sweep = 0; sweep < MOST_SWEEPS && !isDone; sweep++) {
      isDone = true;
      for (int p = 0; p < w.length; p++) {
        check.run();
        for (int q = p + 1; q < w.length; q++) {
          isDone &= !rotate(p, q);
        }
      }
    }
  }

  /** Turns columns p and q to a right angle, if they are not. */
  private boolean rotate(int p, int q) {
    double product = product(w[p], w[q]);
    double size = Math.abs(product);
    double first = Math.sqrt(product(w[p], w[p]));
    double second = Math.sqrt(product(w[q], w[q]));
    if (!(size > SMALL * first * second)) {
      return false;
    }
    double theta = (second - first) * (second + first) / (2 * size);
    double t = Math.copySign(1, theta) / (Math.abs(theta) + Math.hypot(theta, 1));
    double cosine = 1 / Math.hypot(t, 1);
    double sine = product * (t * cosine / size);
    Rows.mix(w[p], w[q], cosine, sine);
    Rows.mix(v[p], v[q], cosine, sine);
    return true;
  }

  private static double product(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  /** Sorts columns by their lengths, and gives these. */
  private double[] sort() {
    double[] norms = IntStream.range(0, w.length).mapToDouble(j -> norm(w[j])).toArray();
    int[] order =
        IntStream.range(0, norms.length)
            .boxed()
            .sorted(Comparator.comparingDouble(j -> -norms[j]))
            .mapToInt(j -> j)
            .toArray();
    double[][] before = w.clone();
    double[][] vectors = v.clone();
    double[] sorted = new double[norms.length];
    for (int j = 0; j < order.length; j++) {
      w[j] = before[order[j]];
      v[j] = vectors[order[j]];
      sorted[j] = norms[order[j]];
    }
    return sorted;
  }

  private static double norm(double[] vector) {
    return Math.sqrt(product(vector, vector));
  }

  /** So many columns of length 1: those there are, then others at right angles to all before. */
  private double[][] orthonormal(double[] norms, int count) {
    double[][] u = new double[count][];
    for (int j = 0; j < count; j++) {
      if (j < norms.length && norms[j] != 0) {
        u[j] = w[j].clone();
        scale(u[j], 1 / norms[j]);
      } else {
        u[j] = farthest(u, j);
      }
    }
    return u;
  }

  private static void scale(double[] vector, double factor) {
    for (int i = 0; i < vector.length; i++) {
      vector[i] *= factor;
    }
  }

  /** What is left of the axis that is farthest from the first so many columns. */
  private double[] farthest(double[][] u, int count) {
    int axis = 0;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < w[0].length; i++) {
      double along = 0;
      for (int k = 0; k < count; k++) {
        along += u[k][i] * u[k][i];
      }
      if (along < least) {
        least = along;
        axis = i;
      }
    }
    double[] column = new double[w[0].length];
    column[axis] = 1;
    for (int k = 0; k < 2 * count; k++) { // twice: what rounding left goes
      double along = product(u[k % count], column);
      for (int i = 0; i < column.length; i++) {
        column[i] -= along * u[k % count][i];
      }
    }
    scale(column, 1 / norm(column));
    return column;
  }
}
