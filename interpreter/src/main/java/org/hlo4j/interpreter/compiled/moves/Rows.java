package org.hlo4j.interpreter.compiled.moves;

/**
 * Arithmetic of rows, all from an element on. They are arrays of their own and at most five in a
 * loop: of offsets that vary, or of more, C2 makes no vectors.
 */
final class Rows {
  private Rows() {}

  /** {@code to -= factor * from} */
  static void subtract(double[] to, double factor, double[] from, int first) {
    for (int j = first; j < to.length; j++) {
      to[j] -= factor * from[j];
    }
  }

  /** Four such subtractions, one after another. */
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

  /** {@code to += factors[i] * rows[i]}, for all i from one on, one after another. */
  static void addMultiples(double[] to, int first, double[] factors, int row, double[][] rows) {
    int i = row;
    for (; i + 4 <= rows.length; i += 4) {
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
    for (; i < rows.length; i++) {
      subtract(to, -factors[i], rows[i], first);
    }
  }

  /** Two rows mixed by a rotation. */
  static void mix(double[] one, double[] other, double cosine, double sine) {
    for (int j = 0; j < one.length; j++) {
      double x = one[j];
      double y = other[j];
      one[j] = x * cosine - sine * y;
      other[j] = sine * x + y * cosine;
    }
  }
}
