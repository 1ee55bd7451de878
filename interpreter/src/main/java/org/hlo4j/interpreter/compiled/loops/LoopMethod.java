package org.hlo4j.interpreter.compiled.loops;

/** A generated loop. */
public interface LoopMethod {
  /**
   * Computes elements of some rows.
   *
   * @param arrays the storage of inputs, outputs and workspace
   * @param bases for each slot the position where the innermost counter is 0 in the first row, and
   *     how much further it is in each next row
   * @param rows how many rows
   * @param from the first iteration of the innermost loop
   * @param to the one behind the last; of vectors, a multiple of their width behind the first
   */
  void run(Object[] arrays, int[] bases, int rows, int from, int to);
}
