package org.hlo4j.interpreter.compiled.linalg;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * Arithmetic on rows, from a given element on. Each row is an array of its own, and a loop uses at
 * most five rows: C2 does not vectorize accesses at varying offsets or to more arrays.
 */
final class RowArithmetic {
  private static final double LEADING = 0.3;

  private RowArithmetic() {}

  /** Computes {@code to -= factor * from}. */
  static void subtract(double[] to, double factor, double[] from, int first) {
    subtract(to, factor, from, first, to.length);
  }

  /** Computes the same, up to element {@code end - 1}. */
  static void subtract(double[] to, double factor, double[] from, int first, int end) {
    for (int j = first; j < end; j++) {
      to[j] -= factor * from[j];
    }
  }

  /**
   * Subtracts {@code factors[i] * rows[i]} for four i that are {@code step} apart, one after
   * another, up to element {@code end - 1}.
   */
  static void subtractFour(
      double[] to, int first, int end, double[] factors, int i, int step, double[][] rows) {
    double f0 = factors[i];
    double f1 = factors[i + step];
    double f2 = factors[i + 2 * step];
    double f3 = factors[i + 3 * step];
    double[] r0 = rows[i];
    double[] r1 = rows[i + step];
    double[] r2 = rows[i + 2 * step];
    double[] r3 = rows[i + 3 * step];
    for (int j = first; j < end; j++) {
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
    double[] negated = new double[factors.length];
    for (int i = row; i < factors.length; i++) {
      negated[i] = -factors[i];
    }
    int i = row;
    for (; i + 4 <= factors.length; i += 4) {
      subtractFour(to, first, to.length, negated, i, 1, rows);
    }
    for (; i < factors.length; i++) {
      subtract(to, negated[i], rows[i], first);
    }
  }

  /** Returns a dot product. With one accumulator, each addition would wait for the previous one. */
  static double product(double[] row, double[] with, int first) {
    double a = 0;
    double b = 0;
    double c = 0;
    double d = 0;
    int j = first;
    for (; j + 4 <= with.length; j += 4) {
      a += row[j] * with[j];
      b += row[j + 1] * with[j + 1];
      c += row[j + 2] * with[j + 2];
      d += row[j + 3] * with[j + 3];
    }
    for (; j < with.length; j++) {
      a += row[j] * with[j];
    }
    return (a + b) + (c + d);
  }

  /** Applies a rotation to two rows. */
  static void rotate(double[] one, double[] other, double cosine, double sine, int from, int end) {
    for (int j = from; j < end; j++) {
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
      double sine2,
      int from,
      int end) {
    for (int j = from; j < end; j++) {
      double x = first[j];
      double y = second[j];
      double z = third[j];
      double middle = y * cosine - sine * x;
      first[j] = x * cosine + sine * y;
      second[j] = middle * cosine2 + sine2 * z;
      third[j] = z * cosine2 - sine2 * middle;
    }
  }

  /** Returns rows of zeros. Those of a large matrix take long to allocate. */
  static double[][] zeros(int rows, int columns) {
    double[][] zeros = new double[rows][];
    new Pieces(0, rows, columns).forEach(i -> zeros[i] = new double[columns]);
    return zeros;
  }

  /** Returns the largest absolute value, or NaN if an element is NaN. */
  static double maxAbs(double[][] rows) {
    double greatest = 0;
    Pieces pieces = new Pieces();
    for (int i = 0; i < rows.length; i++) {
      pieces.next(rows[i].length);
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

  /** Multiplies by a power of two, which may be beyond the powers that are numbers. */
  static void scale(double[][] rows, int exponent) {
    Pieces pieces = new Pieces();
    for (int i = 0; i < rows.length && exponent != 0; i++) {
      double[] row = rows[i];
      pieces.next(row.length);
      for (int j = 0; j < row.length; j++) {
        row[j] = Math.scalb(row[j], exponent);
      }
    }
  }

  static void fill(double[][] rows, double value) {
    for (double[] row : rows) {
      Arrays.fill(row, value);
    }
  }

  static double[][] copy(double[][] rows) {
    double[][] copy = new double[rows.length][];
    Pieces pieces = new Pieces();
    for (int i = 0; i < rows.length; i++) {
      pieces.next(rows[i].length);
      copy[i] = rows[i].clone();
    }
    return copy;
  }

  static double[][] transposed(double[][] rows) {
    double[][] transposed = zeros(rows[0].length, rows.length);
    new Pieces(0, rows.length, rows[0].length)
        .forEach(i -> {
          for (int j = 0; j < rows[0].length; j++) {
            transposed[j][i] = rows[i][j];
          }
        });
    return transposed;
  }

  /** Returns the indices of the values in ascending order. Equal values keep their order. */
  static int[] order(double[] values) {
    return IntStream.range(0, values.length)
        .boxed()
        .sorted(Comparator.comparingDouble(i -> values[i]))
        .mapToInt(i -> i)
        .toArray();
  }

  /** Returns a column, whose elements before a row are left zero. */
  static double[] column(double[][] rows, int column, int first) {
    double[] elements = new double[rows.length];
    for (int i = first; i < rows.length; i++) {
      elements[i] = rows[i][column];
    }
    return elements;
  }

  /** Returns rows of an identity matrix, of the same number of columns or another. */
  static double[][] identity(int rows, int columns) {
    double[][] identity = zeros(rows, columns);
    for (int i = 0; i < Math.min(rows, columns); i++) {
      identity[i][i] = 1;
    }
    return identity;
  }

  /** Copies the lower or the upper triangle to the other one. */
  static void mirror(double[][] a, boolean lower) {
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < i; j++) {
        a[lower ? j : i][lower ? i : j] = a[lower ? i : j][lower ? j : i];
      }
    }
  }
}
