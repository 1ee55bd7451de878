package org.hlo4j.interpreter.compiled.expr;

/**
 * Applies a computation to elements at scattered positions. Public because generated classes
 * implement it.
 */
public interface ScatterLoop {
  /**
   * Computes {@code to[at[i]] = body(to[at[i]], from[f + i])} for i below count, in order, except
   * where {@code at[i]} is negative. Both {@code to} and {@code from} have one array for each
   * result of the computation.
   */
  void scatter(Object[] to, int[] at, Object[] from, int f, int count);
}
