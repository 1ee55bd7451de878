package org.hlo4j.interpreter.compiled.linalg;

import java.util.Arrays;

/**
 * Arithmetic on rows, from a given element on. Each row is an array of its own, and a loop uses at
 * most five rows: C2 does not vectorize accesses at varying offsets or to more arrays.
 */
final class RowArithmetic {
  private static final double LEADING = 0.3;

  private RowArithmetic() {}

  /** Computes {@code to -= factor * from}. */
  static void subtract(double[] to, double factor, double[] from, int first) {
    for (int j = first; j < to.length; j++) {
      to[j] -= factor * from[j];
    }
  }

  /** Does four such subtractions, one after another. */
  static void subtract(
      double[] to,
      int first,
      double f0,
      double[] r0,
      double f1,
      double[] r1,
      double f2,
      double[] r2,
      double f3,
      double[] r3) {
    for (int j = first; j < to.length; j++) {
      to[j] = to[j] - f0 * r0[j] - f1 * r1[j] - f2 * r2[j] - f3 * r3[j];
    }
  }

  /** Does two such subtractions, one after another. */
  static void subtract(double[] to, int first, double f0, double[] r0, double f1, double[] r1) {
    for (int j = first; j < to.length; j++) {
      to[j] = to[j] - f0 * r0[j] - f1 * r1[j];
    }
  }

  /**
   * Computes {@code to += factors[i] * rows[i]} for all i from {@code row} on, one after another.
   */
  static void addMultiples(double[] to, int first, double[] factors, int row, double[][] rows) {
    int i = row;
    for (; i + 4 <= factors.length; i += 4) {
      subtract(
          to,
          first,
          -factors[i],
          rows[i],
          -factors[i + 1],
          rows[i + 1],
          -factors[i + 2],
          rows[i + 2],
          -factors[i + 3],
          rows[i + 3]);
    }
    for (; i < factors.length; i++) {
      subtract(to, -factors[i], rows[i], first);
    }
  }

  /** Computes the dot products {@code sums[i] = rows[i] . with} for all i from {@code row} on. */
  static void products(double[][] rows, int row, double[] with, int first, double[] sums) {
    int i = row;
    for (; i + 4 <= rows.length; i += 4) {
      products(rows[i], rows[i + 1], rows[i + 2], rows[i + 3], with, first, sums, i);
    }
    for (; i < rows.length; i++) {
      double sum = 0;
      for (int j = first; j < with.length; j++) {
        sum += rows[i][j] * with[j];
      }
      sums[i] = sum;
    }
  }

  /**
   * Computes four dot products with two accumulators each. With one, each addition would wait for
   * the previous one.
   */
  private static void products(
      double[] r0,
      double[] r1,
      double[] r2,
      double[] r3,
      double[] with,
      int first,
      double[] sums,
      int at) {
    double a0 = 0;
    double a1 = 0;
    double a2 = 0;
    double a3 = 0;
    double b0 = 0;
    double b1 = 0;
    double b2 = 0;
    double b3 = 0;
    int j = first;
    for (; j + 2 <= with.length; j += 2) {
      double x = with[j];
      double y = with[j + 1];
      a0 += r0[j] * x;
      b0 += r0[j + 1] * y;
      a1 += r1[j] * x;
      b1 += r1[j + 1] * y;
      a2 += r2[j] * x;
      b2 += r2[j + 1] * y;
      a3 += r3[j] * x;
      b3 += r3[j + 1] * y;
    }
    if (j < with.length) {
      a0 += r0[j] * with[j];
      a1 += r1[j] * with[j];
      a2 += r2[j] * with[j];
      a3 += r3[j] * with[j];
    }
    sums[at] = a0 + b0;
    sums[at + 1] = a1 + b1;
    sums[at + 2] = a2 + b2;
    sums[at + 3] = a3 + b3;
  }

  /** Applies a rotation to two rows. */
  static void rotate(double[] one, double[] other, double cosine, double sine) {
    for (int j = 0; j < one.length; j++) {
      double x = one[j];
      double y = other[j];
      one[j] = x * cosine - sine * y;
      other[j] = sine * x + y * cosine;
    }
  }

  /** Applies a rotation to the first two rows, then another one to the last two. */
  static void rotate(
      double[] first,
      double[] second,
      double[] third,
      double cosine,
      double sine,
      double cosine2,
      double sine2) {
    for (int j = 0; j < first.length; j++) {
      double x = first[j];
      double y = second[j];
      double z = third[j];
      double middle = y * cosine - sine * x;
      first[j] = x * cosine + sine * y;
      second[j] = middle * cosine2 + sine2 * z;
      third[j] = z * cosine2 - sine2 * middle;
    }
  }

  /** Checks the limits at every 64th row: of more rows at once, even short ones take long. */
  static void checkAt(int row, Runnable check) {
    if ((row & 63) == 0) {
      check.run();
    }
  }

  /** Returns rows of zeros. Those of a large matrix take long to allocate. */
  static double[][] zeros(int rows, int columns, Runnable check) {
    double[][] zeros = new double[rows][];
    for (int i = 0; i < rows; i++) {
      checkAt(i, check);
      zeros[i] = new double[columns];
    }
    return zeros;
  }

  /** Returns the largest absolute value, or NaN if an element is NaN. */
  static double maxAbs(double[][] rows, Runnable check) {
    double greatest = 0;
    for (int i = 0; i < rows.length; i++) {
      checkAt(i, check);
      for (double element : rows[i]) {
        greatest = Math.max(greatest, Math.abs(element));
      }
    }
    return greatest;
  }

  /**
   * Returns whether the first element that is not small relative to the largest one is negative.
   */
  static boolean isNegative(double[] vector) {
    double largest = 0;
    for (double element : vector) {
      largest = Math.max(largest, Math.abs(element));
    }
    int first = 0;
    while (first + 1 < vector.length && Math.abs(vector[first]) < LEADING * largest) {
      first++;
    }
    return vector[first] < 0;
  }

  static void negate(double[] vector) {
    for (int j = 0; j < vector.length; j++) {
      vector[j] = 0.0 - vector[j];
    }
  }

  static void scale(double[][] rows, double factor, Runnable check) {
    for (int i = 0; i < rows.length; i++) {
      checkAt(i, check);
      double[] row = rows[i];
      for (int j = 0; j < row.length; j++) {
        row[j] *= factor;
      }
    }
  }

  static void fill(double[][] rows, double value) {
    for (double[] row : rows) {
      Arrays.fill(row, value);
    }
  }

  static double[][] copy(double[][] rows, Runnable check) {
    double[][] copy = new double[rows.length][];
    for (int i = 0; i < rows.length; i++) {
      checkAt(i, check);
      copy[i] = rows[i].clone();
    }
    return copy;
  }

  static double[][] transposed(double[][] rows, Runnable check) {
    double[][] transposed = zeros(rows[0].length, rows.length, check);
    for (int i = 0; i < rows.length; i++) {
      checkAt(i, check);
      for (int j = 0; j < rows[0].length; j++) {
        transposed[j][i] = rows[i][j];
      }
    }
    return transposed;
  }

  /** Returns the indices of the values in ascending order. Equal values keep their order. */
  static int[] order(double[] values) {
    int[] order = new int[values.length];
    for (int i = 0; i < order.length; i++) {
      int at = i;
      for (; at > 0 && Double.compare(values[order[at - 1]], values[i]) > 0; at--) {
        order[at] = order[at - 1];
      }
      order[at] = i;
    }
    return order;
  }
}
