package org.hlo4j.interpreter.compiled.reduce;

/**
 * Reduces several rows by a loop that reduces one, where code for all of them is too long.
 *
 * @param single the loop for one row
 * @param inputs how many arrays are reduced together
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
