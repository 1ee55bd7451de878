package org.hlo4j.interpreter.compiled.gemm;

import java.util.List;
import org.hlo4j.hlo.Dims;

/**
 * A batch of matrix products, {@code c[b, i, j] = sum over k of a[b, i, k] * b[b, k, j]}, with the
 * offsets of all elements in their arrays. The steps are the indices k of the contracting
 * dimension.
 *
 * @param batchesA the offsets of the matrices of a
 * @param rowsA the offsets of the rows of a
 * @param stepsA the offsets of the columns of a, which are summed over
 * @param batchesB the offsets of the matrices of b
 * @param stepsB the offsets of the rows of b, which are summed over
 * @param columnsB the offsets of the columns of b
 * @param batchesC the offsets of the matrices of the result
 * @param rowsC the offsets of the rows of the result
 * @param columnsC the offsets of the columns of the result
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
  /** The maximum number of multiply-adds of a matrix that is computed without packing. */
  static final double SMALL = 1024;

  private static final int SHORT_RUN = 8;

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

  /** {@return the number of elements of the results of some products} */
  public static int resultElements(List<GemmProblem> products) {
    return products.stream()
        .mapToInt(product -> product.batches() * product.rows() * product.columns())
        .sum();
  }

  /** {@return the number of multiply-adds} */
  public double work() {
    return (double) batches() * rows() * columns() * k();
  }

  /** {@return whether all steps and columns have a constant stride} */
  boolean hasConstantStrides() {
    return stepsA.hasConstantStride()
        && stepsB.hasConstantStride()
        && columnsB.hasConstantStride()
        && columnsC.hasConstantStride();
  }

  /** {@return whether each sum is computed by itself, without packing, in order of k} */
  boolean isSmall() {
    return hasConstantStrides() && work() <= SMALL * batches();
  }

  /** {@return whether the left side is copied faster along steps than along rows} */
  boolean hasRunsOfSteps() {
    return stepsA.contiguousRunLength() >= SHORT_RUN || rowsA.contiguousRunLength() < SHORT_RUN;
  }

  /** {@return whether rows of the right side are contiguous, at a constant distance} */
  boolean hasContiguousRowsB() {
    return columnsB.isContiguous() && stepsB.hasConstantStride();
  }

  /** {@return whether the results of all batches are stored in consecutive rows} */
  public boolean isRowMajor() {
    return columnsC.isContiguous()
        && rowsC.hasConstantStride()
        && batchesC.hasConstantStride()
        && (rows() == 1 || rowsC.stride() == columns())
        && (batches() == 1 || batchesC.stride() == columns() * rows());
  }

  /** {@return whether parts of the steps can be batches: all distances are constant} */
  boolean canHaveParts() {
    return hasConstantStrides()
        && batchesA.hasConstantStride()
        && batchesB.hasConstantStride()
        && batchesC.hasConstantStride();
  }

  /**
   * {@return equal parts of the steps, which have to have a constant stride: a single part, or
   * parts as batches, whose results are stored one after another, each like the whole result}
   *
   * @param from the first step
   * @param count the number of parts
   * @param steps the number of steps of a part
   */
  GemmProblem parts(int from, int count, int steps) {
    int size = batches() * rows() * columns();
    return new GemmProblem(
        parts(batchesA, count, steps * stepsA.stride(), stepsA.at(from)),
        rowsA,
        DimensionOffsets.strided(steps, stepsA.stride()),
        parts(batchesB, count, steps * stepsB.stride(), stepsB.at(from)),
        DimensionOffsets.strided(steps, stepsB.stride()),
        columnsB,
        count == 1 ? batchesC : parts(batchesC, count, size, -batchesC.at(0)),
        rowsC,
        columnsC);
  }

  private static DimensionOffsets parts(
      DimensionOffsets batches, int count, int distance, int from) {
    return count == 1
        ? batches.plus(from)
        : DimensionOffsets.of(Dims.of(count, batches.count()), Dims.of(distance, batches.stride()))
            .plus(batches.at(0) + from);
  }

  /** {@return all steps and columns of a matrix of the right side} */
  MatrixPart right() {
    return new MatrixPart(stepsB, 0, k(), columnsB, 0, columns());
  }

  /**
   * {@return the product with its right side packed, one matrix after another}
   *
   * @param stepB the distance of its steps
   * @param columnB the distance of its columns
   */
  GemmProblem withPackedRight(int stepB, int columnB) {
    return new GemmProblem(
        batchesA,
        rowsA,
        stepsA,
        DimensionOffsets.strided(batches(), k() * columns()),
        DimensionOffsets.strided(k(), stepB),
        DimensionOffsets.strided(columns(), columnB),
        batchesC,
        rowsC,
        columnsC);
  }

  /** {@return the product with rows and columns exchanged; it computes the same result} */
  public GemmProblem transposed() {
    return new GemmProblem(
        batchesB, columnsB, stepsB, batchesA, stepsA, rowsA, batchesC, columnsC, rowsC);
  }

  /** {@return text as {@code 8x512x64x512}: batches if there are several, rows, steps, columns} */
  @Override
  public String toString() {
    return (batches() == 1 ? "" : batches() + "x") + rows() + "x" + k() + "x" + columns();
  }
}
