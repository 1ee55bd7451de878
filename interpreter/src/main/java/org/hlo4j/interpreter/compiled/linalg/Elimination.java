package org.hlo4j.interpreter.compiled.linalg;

/** A step of substitution. Public for the generated classes only. */
public interface Elimination {
  /**
   * {@code x[t] -= m[t, k] * x[k]}, for four rows t from target on and all k from known on, in
   * order; of the rows of x all columns of a panel.
   *
   * @param arrays x and m
   * @param target the first of the rows that change
   * @param known the first of those that do not
   * @param count how many those are
   * @param step 1, or -1 if rows are gone through from below
   * @param n how many columns m has
   */
  void run(Object[] arrays, int target, int known, int count, int step, int n);
}
