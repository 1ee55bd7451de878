package org.hlo4j.interpreter.reference.linalg;

/**
 * Whether an element below the diagonal of Hessenberg's form changes no eigenvalue by more than
 * rounding does: the test of LAPACK's lahqr, after Ahues and Tisseur. It is told magnitudes.
 *
 * @param ulp what is so small beside its neighbours that it is nothing
 * @param small what is nothing whatever is beside it
 */
record Deflation(double ulp, double small) {
  /** The same for so many rows. */
  static Deflation of(double ulp, int rows) {
    return new Deflation(ulp, Double.MIN_NORMAL * (rows / ulp));
  }

  /**
   * Whether it is negligible.
   *
   * @param below the element
   * @param size the two on the diagonal beside it together, or what is next to these if both are 0
   * @param above the one across the diagonal
   * @param end the lower of the two on the diagonal
   * @param apart how far these are apart
   */
  boolean isNegligible(double below, double size, double above, double end, double apart) {
    if (below <= small) {
      return true;
    }
    if (below > ulp * size) {
      return false;
    }
    double sum = Math.max(end, apart) + Math.max(below, above);
    double product = Math.min(end, apart) * (Math.max(end, apart) / sum);
    return Math.min(below, above) * (Math.max(below, above) / sum)
        <= Math.max(small, ulp * product);
  }
}
