package org.hlo4j.interpreter.compiled.indexing;

/** A computation applied at places. Public because generated classes implement it. */
public interface ScatterLoop {
  /**
   * {@code to[at[i]] = body(to[at[i]], from[f + i])} for i below count, in order, but where at[i]
   * is negative; of as many arrays each as the computation has results.
   */
  void scatter(Object[] to, int[] at, Object[] from, int f, int count);
}
