package org.hlo4j.interpreter.compiled.linalg;

import java.util.Arrays;

/** Reflections {@code 1 - tau v v'}, the elements of v before some place being zeros. */
final class Reflection {
  /** What is taken for nothing beside 1, since its square would lose digits. */
  static final double NOTHING = 0x1p-400;

  private Reflection() {}

  /** The length of (x, y), 0 if it is nothing. */
  static double length(double x, double y) {
    double length = Math.sqrt(x * x + y * y);
    return length < NOTHING ? 0 : length;
  }

  /**
   * Makes v of a vector from an element on, but that this element, which would be 1, is what the
   * reflection makes of it.
   *
   * @return tau, 0 if there is nothing behind that element
   */
  static double of(double[] vector, int first) {
    double square = 0;
    for (int i = first + 1; i < vector.length; i++) {
      square += vector[i] * vector[i];
    }
    if (square < NOTHING * NOTHING) {
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

  /** {@code rows = (1 - tau v v') rows}, from a column on. */
  static void apply(double[] v, int first, double tau, double[][] rows, int column) {
    double[] sums = new double[rows[first].length];
    RowArithmetic.addMultiples(sums, column, v, first, rows);
    for (int i = first; i < v.length; i++) {
      RowArithmetic.subtract(rows[i], tau * v[i], sums, column);
    }
  }
}
