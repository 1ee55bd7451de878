package org.hlo4j.interpreter.compiled.linalg;

/**
 * An upper bidiagonal matrix, given by its diagonal and the one above it, which rotations make
 * diagonal (the algorithm of Golub and Kahan). The rotations of the columns of the left and of the
 * right factor are collected.
 */
final class Bidiagonal {
  private static final double ROUNDING = 0x1p-52;
  private static final int MAX_ITERATIONS = 60;

  private final double[] diagonal;
  private final double[] above;
  private final Rotations left;
  private final Rotations right;

  /**
   * Creates a matrix in which element k of {@code above} is in the row of element k of {@code
   * diagonal}. Both arrays are overwritten.
   */
  Bidiagonal(double[] diagonal, double[] above, Rotations left, Rotations right) {
    this.diagonal = diagonal;
    this.above = above;
    this.left = left;
    this.right = right;
  }

  /** Computes singular values, some of them negative, in the diagonal. */
  void diagonalize(Runnable check) {
    for (int last = diagonal.length - 1; last > 0; last--) {
      for (int iteration = 0;
          iteration < MAX_ITERATIONS && !isNothingAbove(last - 1);
          iteration++) {
        check.run();
        iteration(last);
      }
    }
  }

  private boolean isNothingAbove(int k) {
    double size = Math.abs(diagonal[k]) + Math.abs(diagonal[k + 1]);
    return Math.abs(above[k]) <= ROUNDING * size + Reflection.NEGLIGIBLE;
  }

  /**
   * Returns whether an element of the diagonal is negligible relative to its neighbors in a block.
   */
  private boolean isNothing(int k, int first, int last) {
    double size = (k > first ? Math.abs(above[k - 1]) : 0) + (k < last ? Math.abs(above[k]) : 0);
    return Math.abs(diagonal[k]) <= ROUNDING * size + Reflection.NEGLIGIBLE;
  }

  /** Runs an iteration on the block that ends at index {@code last}. */
  private void iteration(int last) {
    int first = last - 1;
    while (first > 0 && !isNothingAbove(first - 1)) {
      first--;
    }
    int zero = last;
    while (zero >= first && !isNothing(zero, first, last)) {
      zero--;
    }
    if (zero == last) {
      clearColumn(first, last);
    } else if (zero >= first) {
      clearRow(zero, last);
    } else {
      chase(first, last, shifted(first, last));
    }
  }

  /**
   * Clears the element above the last element of the diagonal, which is zero, by rotations of
   * columns.
   */
  private void clearColumn(int first, int last) {
    double f = above[last - 1];
    diagonal[last] = 0;
    above[last - 1] = 0;
    for (int k = last - 1; k >= first; k--) {
      double length = Reflection.length(diagonal[k], f);
      double cosine = cosine(diagonal[k], length);
      double sine = sine(f, length);
      diagonal[k] = length;
      if (k > first) {
        f = -sine * above[k - 1];
        above[k - 1] *= cosine;
      }
      right.add(k, last, cosine, sine);
    }
  }

  /**
   * Clears the element to the right of a zero on the diagonal, by rotations of rows. This splits
   * the block in two.
   */
  private void clearRow(int zero, int last) {
    double f = above[zero];
    diagonal[zero] = 0;
    above[zero] = 0;
    for (int k = zero + 1; k <= last; k++) {
      double length = Reflection.length(diagonal[k], f);
      double cosine = cosine(diagonal[k], length);
      double sine = sine(f, length);
      diagonal[k] = length;
      if (k < last) {
        f = -sine * above[k];
        above[k] *= cosine;
      }
      left.add(k, zero, cosine, sine);
    }
  }

  /**
   * Returns the first two elements of the first column of {@code B'B - shift}, where B is the block
   * and the shift is Wilkinson's. B is divided by the largest of its first and last elements.
   */
  private double[] shifted(int first, int last) {
    double scale = Math.max(Math.abs(diagonal[last]), Math.abs(diagonal[last - 1]));
    scale = Math.max(scale, Math.abs(above[last - 1]));
    scale = Math.max(scale, Math.max(Math.abs(diagonal[first]), Math.abs(above[first])));
    double end = diagonal[last] / scale;
    double before = diagonal[last - 1] / scale;
    double beside = above[last - 1] / scale;
    double start = diagonal[first] / scale;
    double half = ((before + end) * (before - end) + beside * beside) / 2;
    double product = end * beside * end * beside;
    double root = Math.copySign(Math.sqrt(half * half + product), half);
    double shift = product == 0 ? 0 : product / (half + root);
    return new double[] {(start + end) * (start - end) + shift, start * (above[first] / scale)};
  }

  /**
   * Runs an iteration of the QR algorithm: the first rotation makes an element outside the two
   * diagonals nonzero (the bulge), and the other rotations move it down and out of the block.
   */
  private void chase(int first, int last, double[] start) {
    double f = start[0];
    double g = start[1];
    for (int k = first; k < last; k++) {
      double length = Reflection.length(f, g);
      double cosine = cosine(f, length);
      double sine = sine(g, length);
      if (k > first) {
        above[k - 1] = length;
      }
      f = cosine * diagonal[k] + sine * above[k];
      above[k] = cosine * above[k] - sine * diagonal[k];
      g = sine * diagonal[k + 1];
      diagonal[k + 1] *= cosine;
      right.add(k, k + 1, cosine, sine);
      length = Reflection.length(f, g);
      cosine = cosine(f, length);
      sine = sine(g, length);
      diagonal[k] = length;
      f = cosine * above[k] + sine * diagonal[k + 1];
      diagonal[k + 1] = cosine * diagonal[k + 1] - sine * above[k];
      if (k + 1 < last) {
        g = sine * above[k + 1];
        above[k + 1] *= cosine;
      }
      left.add(k, k + 1, cosine, sine);
    }
    above[last - 1] = f;
  }

  private static double cosine(double x, double length) {
    return length == 0 ? 1 : x / length;
  }

  private static double sine(double y, double length) {
    return length == 0 ? 0 : y / length;
  }
}
