package org.hlo4j.interpreter.compiled.reduce;

/**
 * A loop over several rows, each reduced into accumulators of its own, that calls a loop for one
 * row.
 *
 * @param single the loop for one row
 * @param remainingCount the number of accumulators that it leaves
 */
record SeparateRows(ReduceLoop single, int remainingCount) implements ReduceLoop {
  @Override
  public void run(Object[] arrays, int[] positions, int from, int to) {
    int rows = positions.length - 1;
    for (int row = 0; row < rows; row++) {
      int[] own = {positions[row], positions[rows] + row * remainingCount};
      single.run(arrays, own, from, to);
    }
  }
}
