package org.hlo4j.interpreter.compiled.linalg;

import org.hlo4j.interpreter.engine.Limits;

/**
 * An upper bidiagonal matrix, given by its diagonal and the one above it, which rotations make
 * diagonal (the algorithm of Golub and Kahan). The rotations of the columns of the left and of the
 * right factor are collected. Both arrays are overwritten.
 *
 * @param diagonal the diagonal
 * @param superdiagonal the one above it: element k is in the row of element k of the diagonal
 * @param left the rotations of the left factor
 * @param right those of the right factor
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Bidiagonal(double[] diagonal, double[] superdiagonal, Rotations left, Rotations right) {
  private static final double ROUNDING = 0x1p-52;
  private static final int MAX_ITERATIONS = 60;

  /** Computes singular values, some of them negative, in the diagonal. */
  void diagonalize() {
    for (int last = diagonal.length - 1; last > 0; last--) {
      for (int iteration = 0;
          iteration < MAX_ITERATIONS && !isSuperdiagonalNegligible(last - 1);
          iteration++) {
        Limits.checkCurrent();
        qrStep(last);
      }
    }
  }

  private boolean isSuperdiagonalNegligible(int k) {
    double size = Math.abs(diagonal[k]) + Math.abs(diagonal[k + 1]);
    return Math.abs(superdiagonal[k]) <= ROUNDING * size + Rotations.NEGLIGIBLE;
  }

  /**
   * Returns whether an element of the diagonal is negligible relative to its neighbors in a block.
   */
  private boolean isDiagonalNegligible(int k, int first, int last) {
    double size =
        (k > first ? Math.abs(superdiagonal[k - 1]) : 0)
            + (k < last ? Math.abs(superdiagonal[k]) : 0);
    return Math.abs(diagonal[k]) <= ROUNDING * size + Rotations.NEGLIGIBLE;
  }

  /** Runs an iteration on the block that ends at index {@code last}. */
  private void qrStep(int last) {
    int first = last - 1;
    while (first > 0 && !isSuperdiagonalNegligible(first - 1)) {
      first--;
    }
    int zero = last;
    while (zero >= first && !isDiagonalNegligible(zero, first, last)) {
      zero--;
    }
    if (zero == last) {
      clear(last, first, right);
    } else if (zero >= first) {
      clear(zero, last, left);
    } else {
      chaseBulge(first, last, shifted(first, last));
    }
  }

  /**
   * Clears the element beside a zero on the diagonal, by rotations with that row or column up to an
   * end of the block. This splits the block in two.
   */
  private void clear(int zero, int end, Rotations rotations) {
    int step = zero < end ? 1 : -1;
    int between = Math.min(step, 0); // the element above the diagonal next to element k, from k on
    double f = superdiagonal[zero + between];
    diagonal[zero] = 0;
    superdiagonal[zero + between] = 0;
    for (int k = zero + step; k != end + step; k += step) {
      double length = Rotations.hypot(diagonal[k], f);
      double cosine = cosine(diagonal[k], length);
      double sine = sine(f, length);
      diagonal[k] = length;
      if (k != end) {
        f = -sine * superdiagonal[k + between];
        superdiagonal[k + between] *= cosine;
      }
      rotations.add(k, zero, cosine, sine);
    }
  }

  /**
   * Returns the first two elements of the first column of {@code B'B - shift}, where B is the block
   * and the shift is Wilkinson's. B is divided by the largest of its first and last elements.
   */
  private double[] shifted(int first, int last) {
    double scale = Math.max(Math.abs(diagonal[last]), Math.abs(diagonal[last - 1]));
    scale = Math.max(scale, Math.abs(superdiagonal[last - 1]));
    scale = Math.max(scale, Math.max(Math.abs(diagonal[first]), Math.abs(superdiagonal[first])));
    double end = diagonal[last] / scale;
    double before = diagonal[last - 1] / scale;
    double offDiagonal = superdiagonal[last - 1] / scale;
    double start = diagonal[first] / scale;
    double half = ((before + end) * (before - end) + offDiagonal * offDiagonal) / 2;
    double product = end * offDiagonal * end * offDiagonal;
    double root = Math.copySign(Math.sqrt(half * half + product), half);
    double shift = product == 0 ? 0 : product / (half + root);
    return new double[] {
      (start + end) * (start - end) + shift, start * (superdiagonal[first] / scale)
    };
  }

  /**
   * Runs an iteration of the QR algorithm: the first rotation makes an element outside the two
   * diagonals nonzero (the bulge), and the other rotations move it down and out of the block.
   */
  private void chaseBulge(int first, int last, double[] start) {
    double f = start[0];
    double g = start[1];
    for (int k = first; k < last; k++) {
      double length = Rotations.hypot(f, g);
      double cosine = cosine(f, length);
      double sine = sine(g, length);
      if (k > first) {
        superdiagonal[k - 1] = length;
      }
      f = cosine * diagonal[k] + sine * superdiagonal[k];
      superdiagonal[k] = cosine * superdiagonal[k] - sine * diagonal[k];
      g = sine * diagonal[k + 1];
      diagonal[k + 1] *= cosine;
      right.add(k, k + 1, cosine, sine);
      length = Rotations.hypot(f, g);
      cosine = cosine(f, length);
      sine = sine(g, length);
      diagonal[k] = length;
      f = cosine * superdiagonal[k] + sine * diagonal[k + 1];
      diagonal[k + 1] = cosine * diagonal[k + 1] - sine * superdiagonal[k];
      if (k + 1 < last) {
        g = sine * superdiagonal[k + 1];
        superdiagonal[k + 1] *= cosine;
      }
      left.add(k, k + 1, cosine, sine);
    }
    superdiagonal[last - 1] = f;
  }

  private static double cosine(double x, double length) {
    return length == 0 ? 1 : x / length;
  }

  private static double sine(double y, double length) {
    return length == 0 ? 0 : y / length;
  }
}
