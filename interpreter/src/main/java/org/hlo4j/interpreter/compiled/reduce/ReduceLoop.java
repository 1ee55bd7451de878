package org.hlo4j.interpreter.compiled.reduce;

/** A generated loop. Public for the generated classes only. */
public interface ReduceLoop {
  /**
   * Runs from an iteration to before another. Iteration i is at position {@code positions[k] + i}
   * of array k, if that is not one that stays.
   *
   * @param arrays what it reads and writes
   * @param positions where in each of them
   * @param from the first iteration
   * @param to the iteration after the last
   */
  void run(Object[] arrays, int[] positions, int from, int to);
}
