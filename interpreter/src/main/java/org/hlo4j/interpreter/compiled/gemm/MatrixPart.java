package org.hlo4j.interpreter.compiled.gemm;

/**
 * A part of a matrix, whose {@code element(i, j)} is at offset {@code rows(i) + columns(j)}.
 *
 * @param rows the offsets of all rows
 * @param i0 the first row
 * @param i1 the end of the rows, exclusive
 * @param columns the offsets of all columns
 * @param j0 the first column
 * @param j1 the end of the columns, exclusive
 */
public record MatrixPart(
    DimensionOffsets rows, int i0, int i1, DimensionOffsets columns, int j0, int j1) {
  int width() {
    return j1 - j0;
  }

  /** {@return a single row, where {@code i} counts from the first row of this part} */
  MatrixPart row(int i) {
    return new MatrixPart(rows, i0 + i, i0 + i + 1, columns, j0, j1);
  }

  /**
   * {@return whether {@code count} rows from {@code row} on are adjacent in memory, but columns are
   * not, where {@code row} counts from the first row of this part}
   */
  boolean areContiguous(int row, int count) {
    int run = rows.contiguousRunLength();
    return columns.contiguousRunLength() == 1
        && (i0 + row) % run + count <= run
        && i0 + row + count <= i1;
  }

  /** {@return this part without its first columns} */
  MatrixPart from(int columns) {
    return new MatrixPart(rows, i0, i1, this.columns, j0 + columns, j1);
  }
}
