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
  /** {@return the same part with rows and columns exchanged} */
  MatrixPart transposed() {
    return new MatrixPart(columns, j0, j1, rows, i0, i1);
  }

  int width() {
    return j1 - j0;
  }

  int height() {
    return i1 - i0;
  }

  /**
   * {@return at most {@code count} rows, where {@code first} counts from the first row of this
   * part}
   */
  MatrixPart rows(int first, int count) {
    int start = i0 + first;
    return new MatrixPart(rows, start, Math.min(i1, start + count), columns, j0, j1);
  }
}
