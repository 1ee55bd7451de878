package org.hlo4j.interpreter.compiled.linalg;

import java.util.function.IntFunction;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * Householder reflections {@code 1 - tau v v'}, and the QR factorization by them. Element {@code
 * first} of v is 1, those before it are 0. The operations on each element are those of the
 * reference, in the reference's order, but loops run along rows, and there are no objects.
 */
final class Reflections {
  private Reflections() {}

  /**
   * Replaces a vector, from element {@code first} on, by the v of the reflection that clears the
   * elements after it. Element {@code first} is not 1 but the value that the reflection gives that
   * element of the vector.
   *
   * @return tau, or 0 if the elements after {@code first} are zero
   */
  static double reflector(double[] vector, int first) {
    double greatest = 0;
    for (int i = first + 1; i < vector.length; i++) {
      greatest = Math.max(greatest, Math.abs(vector[i]));
    }
    if (greatest == 0) {
      return 0;
    }
    int exponent = Math.getExponent(Math.max(greatest, Math.abs(vector[first])));
    double unit = Math.scalb(1.0, -exponent); // so that no square overflows or underflows
    double alpha = vector[first] * unit;
    double square = 0;
    for (int i = first + 1; i < vector.length; i++) {
      vector[i] *= unit;
      square += vector[i] * vector[i];
    }
    double beta = -Math.copySign(Math.sqrt(alpha * alpha + square), alpha);
    for (int i = first + 1; i < vector.length; i++) {
      vector[i] /= alpha - beta;
    }
    vector[first] = Math.scalb(beta, exponent);
    return (beta - alpha) / beta;
  }

  /** Computes {@code rows = (1 - tau v v') rows}, from a column on. */
  static void apply(double[] v, int first, double tau, double[][] rows, int column) {
    if (tau == 0) {
      return;
    }
    double[] sums = rows[first].clone();
    RowArithmetic.addMultiples(sums, column, v, first + 1, rows);
    for (int j = column; j < sums.length; j++) {
      sums[j] *= tau;
    }
    RowArithmetic.subtract(rows[first], 1, sums, column);
    new Pieces(first + 1, v.length, sums.length - column)
        .forEach(i -> RowArithmetic.subtract(rows[i], v[i], sums, column));
  }

  /**
   * Replaces a by R in the upper triangle and, below it, the vectors of the reflections without
   * their leading 1.
   */
  static void qr(double[][] a, double[] taus) {
    Pieces pieces = new Pieces();
    for (int k = 0; k < taus.length; k++) {
      pieces.next(a.length);
      double[] v = RowArithmetic.column(a, k, k);
      taus[k] = reflector(v, k);
      for (int i = k; i < v.length; i++) {
        a[i][k] = v[i];
      }
      apply(v, k, taus[k], a, k + 1);
    }
  }

  /** Applies the reflections of {@link #qr} to rows, the last one first. */
  static void applyAll(double[][] packed, double[] taus, double[][] rows) {
    applyAll(k -> RowArithmetic.column(packed, k, k), taus, 0, rows);
  }

  /**
   * Applies reflections to rows, the last one first. Reflection k uses the elements of its v from
   * {@code k + distance} on.
   */
  static void applyAll(IntFunction<double[]> vs, double[] taus, int distance, double[][] rows) {
    Pieces pieces = new Pieces();
    for (int k = taus.length - 1; k >= 0; k--) {
      pieces.next(rows.length);
      apply(vs.apply(k), k + distance, taus[k], rows, 0);
    }
  }
}
