package org.hlo4j.interpreter.compiled.indexing;

/** Applies a computation to rows of elements. Public because generated classes implement it. */
public interface RowScatterLoop {
  /**
   * Computes {@code to[at[row] + i] = body(to[at[row] + i], from[source[row] + i])} for all rows
   * from first to end, exclusive, in order, and all i from column to stop, exclusive, except where
   * {@code at[row]} is negative. If {@code source} has one element, {@code source[0] + row} takes
   * the place of {@code source[row]}. Both {@code to} and {@code from} have one array for each
   * result of the computation.
   */
  void scatter(
      Object[] to, int[] at, Object[] from, int[] source, int first, int end, int column, int stop);
}
