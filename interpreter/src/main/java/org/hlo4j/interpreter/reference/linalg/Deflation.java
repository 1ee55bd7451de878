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
