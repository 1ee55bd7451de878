package org.hlo4j.interpreter.compiled.dots;

/**
 * Matrix products, one for each batch: {@code c[b, i, j] = sum over k of a[b, i, k] * b[b, k, j]},
 * and where everything lies.
 *
 * @param batchesA where the matrices of a begin
 * @param rowsA the rows of a
 * @param stepsA the columns of a, summed over
 * @param batchesB where the matrices of b begin
 * @param stepsB the rows of b, summed over
 * @param columnsB the columns of b
 * @param batchesC where the matrices of the result begin
 * @param rowsC the rows of the result
 * @param columnsC the columns of the result
 */
record Product(
    Positions batchesA,
    Positions rowsA,
    Positions stepsA,
    Positions batchesB,
    Positions stepsB,
    Positions columnsB,
    Positions batchesC,
    Positions rowsC,
    Positions columnsC) {
  int batches() {
    return batchesC.count();
  }

  int rows() {
    return rowsC.count();
  }

  int columns() {
    return columnsC.count();
  }

  int steps() {
    return stepsA.count();
  }

  /** The number of products. */
  double work() {
    return (double) batches() * rows() * columns() * steps();
  }

  /** Whether all steps and columns are evenly spaced. */
  boolean isEven() {
    return stepsA.isEven() && stepsB.isEven() && columnsB.isEven() && columnsC.isEven();
  }

  /** Whether the results of all batches are stored in rows one after the other. */
  boolean isStoredByRows() {
    return columnsC.isContiguous()
        && rowsC.isEven()
        && batchesC.isEven()
        && (rows() == 1 || rowsC.stride() == columns())
        && (batches() == 1 || batchesC.stride() == columns() * rows());
  }

  /** Some of the steps, if they are evenly spaced. */
  Product steps(int from, int to) {
    return new Product(
        batchesA.plus(stepsA.at(from)),
        rowsA,
        Positions.even(to - from, stepsA.stride()),
        batchesB.plus(stepsB.at(from)),
        Positions.even(to - from, stepsB.stride()),
        columnsB,
        batchesC,
        rowsC,
        columnsC);
  }

  /** Rows and columns exchanged: what is computed is the same. */
  Product transposed() {
    return new Product(
        batchesB, columnsB, stepsB, batchesA, stepsA, rowsA, batchesC, columnsC, rowsC);
  }

  /** As {@code 8x512x64x512}: batches if there are several, rows, steps, columns. */
  @Override
  public String toString() {
    return (batches() == 1 ? "" : batches() + "x") + rows() + "x" + steps() + "x" + columns();
  }
}
