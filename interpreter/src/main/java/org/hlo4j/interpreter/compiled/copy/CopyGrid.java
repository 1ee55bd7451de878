package org.hlo4j.interpreter.compiled.copy;

/**
 * A grid of runs of contiguous cells, in rows and columns, with a stride for rows and for columns
 * in the source and in the destination. Columns have the smaller stride in the destination.
 */
public record CopyGrid(
    int rows, int columns, int run, int fromRow, int fromColumn, int toRow, int toColumn) {
  /**
   * Returns whether the grid is a transpose: rows are contiguous in the source, columns in the
   * destination.
   */
  boolean isTranspose() {
    return run == 1 && fromRow == 1 && toColumn == 1 && Math.abs(fromColumn) > 1;
  }

  int count() {
    return rows * columns * run;
  }
}
