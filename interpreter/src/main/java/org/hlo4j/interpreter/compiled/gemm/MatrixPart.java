package org.hlo4j.interpreter.compiled.gemm;

/**
 * A part of a matrix that lies somewhere: {@code element(i, j)} at {@code rows(i) + columns(j)}.
 *
 * @param rows where all rows lie
 * @param i0 the first row
 * @param i1 behind the last row
 * @param columns where all columns lie
 * @param j0 the first column
 * @param j1 behind the last column
 */
public record MatrixPart(
    DimensionOffsets rows, int i0, int i1, DimensionOffsets columns, int j0, int j1) {
  int width() {
    return j1 - j0;
  }

  /** One row, counted from the first. */
  MatrixPart row(int i) {
    return new MatrixPart(rows, i0 + i, i0 + i + 1, columns, j0, j1);
  }

  /** Whether so many rows from one on, but no columns, are contiguous. */
  boolean areContiguous(int row, int count) {
    int run = rows.run();
    return columns.run() == 1 && (i0 + row) % run + count <= run && i0 + row + count <= i1;
  }

  /** Without the first columns. */
  MatrixPart from(int columns) {
    return new MatrixPart(rows, i0, i1, this.columns, j0 + columns, j1);
  }
}
