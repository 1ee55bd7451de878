package org.hlo4j.interpreter.compiled.gemm;

import java.util.List;

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
public record GemmProblem(
    DimensionOffsets batchesA,
    DimensionOffsets rowsA,
    DimensionOffsets stepsA,
    DimensionOffsets batchesB,
    DimensionOffsets stepsB,
    DimensionOffsets columnsB,
    DimensionOffsets batchesC,
    DimensionOffsets rowsC,
    DimensionOffsets columnsC) {
  public int batches() {
    return batchesC.count();
  }

  public int rows() {
    return rowsC.count();
  }

  public int columns() {
    return columnsC.count();
  }

  public int k() {
    return stepsA.count();
  }

  /** How many elements the results of some products have. */
  public static int resultElements(List<GemmProblem> products) {
    return products.stream()
        .mapToInt(product -> product.batches() * product.rows() * product.columns())
        .sum();
  }

  /** The number of products. */
  public double work() {
    return (double) batches() * rows() * columns() * k();
  }

  /** Whether all steps and columns are evenly spaced. */
  boolean isEven() {
    return stepsA.isEven() && stepsB.isEven() && columnsB.isEven() && columnsC.isEven();
  }

  /** Whether the results of all batches are stored in rows one after the other. */
  public boolean isStoredByRows() {
    return columnsC.isContiguous()
        && rowsC.isEven()
        && batchesC.isEven()
        && (rows() == 1 || rowsC.stride() == columns())
        && (batches() == 1 || batchesC.stride() == columns() * rows());
  }

  /** Some of the steps, if they are evenly spaced. */
  GemmProblem k(int from, int to) {
    return new GemmProblem(
        batchesA.plus(stepsA.at(from)),
        rowsA,
        DimensionOffsets.even(to - from, stepsA.stride()),
        batchesB.plus(stepsB.at(from)),
        DimensionOffsets.even(to - from, stepsB.stride()),
        columnsB,
        batchesC,
        rowsC,
        columnsC);
  }

  /** Rows and columns exchanged: what is computed is the same. */
  public GemmProblem transposed() {
    return new GemmProblem(
        batchesB, columnsB, stepsB, batchesA, stepsA, rowsA, batchesC, columnsC, rowsC);
  }

  /** As {@code 8x512x64x512}: batches if there are several, rows, steps, columns. */
  @Override
  public String toString() {
    return (batches() == 1 ? "" : batches() + "x") + rows() + "x" + k() + "x" + columns();
  }
}
