package org.hlo4j.interpreter.reference.linalg;

/**
 * The deflation test of LAPACK's lahqr, after Ahues and Tisseur: whether a subdiagonal element of a
 * Hessenberg matrix changes no eigenvalue by more than rounding does. All arguments are magnitudes.
 *
 * @param ulp the relative size below which an element is negligible beside its neighbours
 * @param small the absolute size below which an element is always negligible
 */
record Deflation(double ulp, double small) {
  /** Returns the test for a number of rows. */
  static Deflation of(double ulp, int rows) {
    return new Deflation(ulp, Double.MIN_NORMAL * (rows / ulp));
  }

  /** The magnitudes of the elements of a matrix. */
  interface Magnitudes {
    double at(int row, int column);
  }

  /**
   * Returns the row of the subdiagonal element of a block to leave out where steps do not converge,
   * because what they would change is beyond the range of numbers: of those within the rounding of
   * the block, the one that is least beside the eigenvalues next to it.
   *
   * @return the row, or -1 if there is none
   */
  int leastRow(int last, int low, Magnitudes h) {
    int first = last;
    double greatest = h.at(last, last);
    while (first > low && h.at(first, first - 1) != 0) {
      first--;
      for (int j = first; j <= last; j++) {
        greatest = Math.max(greatest, Math.max(h.at(first, j), h.at(j, first)));
      }
    }
    int least = -1;
    for (int k = first + 1; k <= last; k++) {
      boolean isSmall = h.at(k, k - 1) <= ulp * greatest;
      boolean isLeast = least < 0 || share(k, first, last, h) < share(least, first, last, h);
      least = isSmall && isLeast ? k : least;
    }
    return least;
  }

  /** Returns how large h[k, k - 1] is beside the eigenvalues next to it, as two rows show them. */
  private double share(int k, int first, int last, Magnitudes h) {
    double size = h.at(k - 1, k - 1) + h.at(k, k);
    size += k - 2 >= first ? Math.sqrt(h.at(k - 1, k - 2)) * Math.sqrt(h.at(k - 2, k - 1)) : 0;
    size += k + 1 <= last ? Math.sqrt(h.at(k + 1, k)) * Math.sqrt(h.at(k, k + 1)) : 0;
    return h.at(k, k - 1) / Math.max(size, small);
  }

  /**
   * Returns whether an element is negligible.
   *
   * @param below the subdiagonal element
   * @param size the sum of the two diagonal elements beside it, or of their neighbours if both are
   *     0
   * @param above the superdiagonal element opposite
   * @param end the lower of the two diagonal elements
   * @param difference the distance of the two diagonal elements
   */
  boolean isNegligible(double below, double size, double above, double end, double difference) {
    if (below <= small) {
      return true;
    }
    if (below > ulp * size) {
      return false;
    }
    double sum = Math.max(end, difference) + Math.max(below, above);
    double product = Math.min(end, difference) * (Math.max(end, difference) / sum);
    return Math.min(below, above) * (Math.max(below, above) / sum)
        <= Math.max(small, ulp * product);
  }
}
