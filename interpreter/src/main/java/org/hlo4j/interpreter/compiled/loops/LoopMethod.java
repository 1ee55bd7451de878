package org.hlo4j.interpreter.compiled.loops;

/** A generated loop. */
public interface LoopMethod {
  /**
   * Computes some elements of some rows.
   *
   * @param arrays the storage of inputs, outputs and workspace
   * @param bases two numbers for each slot: its position in the first row where the innermost
   *     counter is 0, and the distance from row to row
   * @param rows the number of rows
   * @param from the first iteration of the innermost loop
   * @param to the end of its iterations, exclusive; in the vector form, {@code to - from} is a
   *     multiple of the width
   */
  void run(Object[] arrays, long[] bases, int rows, int from, int to);
}
