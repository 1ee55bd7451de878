package org.hlo4j.interpreter.compiled.reduce;

/**
 * A loop over several rows that calls a loop for one row, for reducers whose code for several rows
 * is too long.
 *
 * @param single the loop for one row
 * @param inputs the number of arrays that are reduced together
 * @param accumulatorStride the distance between the accumulators of neighbouring rows; 0 if all
 *     rows are reduced into the same ones
 */
record RowByRow(ReduceLoop single, int inputs, int accumulatorStride) implements ReduceLoop {
  @Override
  public void run(Object[] arrays, int[] positions, int from, int to) {
    int rows = positions.length / inputs - 1;
    int[] own = new int[2 * inputs];
    for (int row = 0; row < rows; row++) {
      for (int k = 0; k < inputs; k++) {
        own[k] = positions[k * rows + row];
        own[inputs + k] = positions[inputs * rows + k] + row * accumulatorStride;
      }
      single.run(arrays, own, from, to);
    }
  }
}
