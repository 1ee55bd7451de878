package org.hlo4j.interpreter.compiled.reduce;

/** A generated loop. Public for the generated classes only. */
public interface ReduceLoop {
  /**
   * Runs the iterations {@code from} (inclusive) to {@code to} (exclusive). Iteration i accesses
   * index {@code positions[k] + i} of array k, unless the index in this array is fixed, as it is
   * for accumulators.
   *
   * @param arrays the arrays that are read and written
   * @param positions the index in each of them
   * @param from the first iteration
   * @param to the iteration after the last
   */
  void run(Object[] arrays, int[] positions, int from, int to);

  /** Installs the vector form now, even if C2 has not compiled it yet; for tests. */
  default void prepare() {}
}
