package org.hlo4j.interpreter.compiled.reduce;

/**
 * A loop over several rows that calls a loop for one row, for reducers whose code for several rows
 * is too long. All rows are reduced into the same row of accumulators.
 *
 * @param single the loop for one row
 * @param inputs the number of arrays that are reduced together
 */
record RowByRow(ReduceLoop single, int inputs) implements ReduceLoop {
  @Override
  public void run(Object[] arrays, int[] positions, int from, int to) {
    int rows = positions.length / inputs - 1;
    int[] own = new int[2 * inputs];
    for (int row = 0; row < rows; row++) {
      for (int k = 0; k < inputs; k++) {
        own[k] = positions[k * rows + row];
        own[inputs + k] = positions[inputs * rows + k];
      }
      single.run(arrays, own, from, to);
    }
  }
}
