package org.hlo4j.interpreter.compiled.linalg;

/**
 * A step of a substitution in a triangular system. Public because generated classes implement it.
 */
public interface SubstitutionStep {
  /**
   * Computes {@code x[t] -= m[t, k] * x[k]} for four rows t from {@code target} on and all rows k
   * from {@code known} on, in order. A row of x has all columns of a panel.
   *
   * @param arrays x and m
   * @param target the first of the rows that change
   * @param known the first of the rows that are subtracted
   * @param count the number of rows that are subtracted
   * @param step 1, or -1 to go through rows from the last one up
   * @param n the number of columns of m
   */
  void run(Object[] arrays, int target, int known, int count, int step, int n);
}
