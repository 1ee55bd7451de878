package org.hlo4j.interpreter.compiled.indexing;

/** A computation applied to rows of elements. Public because generated classes implement it. */
public interface RowScatterLoop {
  /**
   * {@code to[at[row] + i] = body(to[at[row] + i], from[source[row] + i])} for all rows from first
   * to before end, in order, and all i from column to before stop; of as many arrays each as the
   * computation has results.
   */
  void scatter(
      Object[] to, int[] at, Object[] from, int[] source, int first, int end, int column, int stop);
}
