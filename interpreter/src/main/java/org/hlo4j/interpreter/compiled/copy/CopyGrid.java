package org.hlo4j.interpreter.compiled.copy;

/**
 * Runs of neighbours in rows and columns, as far apart in the array they come from and in the one
 * they go to as is said; {@code columns} lie closest in the latter.
 */
public record CopyGrid(
    int rows, int columns, int run, int fromRow, int fromColumn, int toRow, int toColumn) {
  /** Whether neighbours of the one array are columns and of the other rows. */
  boolean transposes() {
    return run == 1 && fromRow == 1 && toColumn == 1 && Math.abs(fromColumn) > 1;
  }

  int count() {
    return rows * columns * run;
  }
}
