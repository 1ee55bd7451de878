package org.hlo4j.interpreter.compiled.linalg;

import java.util.Arrays;

/**
 * Householder reflections {@code 1 - tau v v'}, where the elements of v before a given index are
 * zero.
 */
final class Reflection {
  /**
   * The threshold below which a number is negligible relative to 1, since its square would lose
   * digits.
   */
  static final double NEGLIGIBLE = 0x1p-400;

  private Reflection() {}

  /** Returns the length of (x, y), or 0 if it is negligible. */
  static double hypot(double x, double y) {
    double length = Math.sqrt(x * x + y * y);
    return length < NEGLIGIBLE ? 0 : length;
  }

  /**
   * Replaces a vector, from element {@code first} on, by the v of the reflection that clears the
   * elements after it. Element {@code first} of v would be 1; instead, it is the value that the
   * reflection gives that element of the vector.
   *
   * @return tau, or 0 if the elements after {@code first} are negligible
   */
  static double of(double[] vector, int first) {
    double square = 0;
    for (int i = first + 1; i < vector.length; i++) {
      square += vector[i] * vector[i];
    }
    if (square < NEGLIGIBLE * NEGLIGIBLE) {
      Arrays.fill(vector, first + 1, vector.length, 0);
      return 0;
    }
    double alpha = vector[first];
    double beta = -Math.copySign(Math.sqrt(alpha * alpha + square), alpha);
    double factor = 1 / (alpha - beta);
    for (int i = first + 1; i < vector.length; i++) {
      vector[i] *= factor;
    }
    vector[first] = beta;
    return (beta - alpha) / beta;
  }

  /** Computes {@code rows = (1 - tau v v') rows}, from a column on. */
  static void apply(double[] v, int first, double tau, double[][] rows, int column) {
    double[] sums = new double[rows[first].length];
    RowArithmetic.addMultiples(sums, column, v, first, rows);
    for (int i = first; i < v.length; i++) {
      RowArithmetic.subtract(rows[i], tau * v[i], sums, column);
    }
  }
}
