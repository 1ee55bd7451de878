package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * Rows and steps of the left side that tiles read: packed, or in place.
 *
 * @param array the array of packed elements, or of the left side if it is read in place
 * @param start the position of the first element
 * @param rows the offsets of the rows
 * @param i0 the first row
 * @param steps the offsets of the steps
 * @param k0 the first step
 */
record PackedLhs(
    Object array, int start, DimensionOffsets rows, int i0, DimensionOffsets steps, int k0) {
  /** The length of an array for the rows and steps that are packed by one thread. */
  static final int SIZE = 4 * KBlocks.MAX * MicroKernelSet.STRIDE_OF_STEPS;

  private static final int STEPS = 4 * KBlocks.MAX;
  private static final int BYTES_OF_ROW = 384 * 4;

  /** The maximum number of rows that are packed by steps, one contiguous column for each step. */
  static final int MAX_ROWS_PACKED_BY_STEPS = 96;

  /** The padding of rows and of columns, which keeps them out of the same cache sets. */
  static final int PADDING = 16;

  /**
   * {@return a stride of packed rows that is enough for the steps that are multiplied at a time}
   */
  static int fixedRowStride(int k) {
    return (k <= KBlocks.MAX ? KBlocks.MAX : STEPS) + PADDING;
  }

  private static int rowStride(MicroKernelSet tiles, int steps) {
    int fixed = tiles.shape.rowStride();
    return fixed == 0 ? steps + PADDING : fixed;
  }

  /** {@return the number of blocks of steps that are multiplied at a time} */
  static int blocks(KBlocks steps) {
    return Math.max(1, STEPS / Math.max(1, steps.maxLength()));
  }

  /** {@return the maximum number of rows for the given number of blocks of steps} */
  static int rows(MicroKernelSet tiles, int blocks) {
    int rows = BYTES_OF_ROW * Byte.SIZE / tiles.shape.accumulatorType().bits() / blocks;
    if (!tiles.isLeftByRows) {
      return Math.min(rows, MAX_ROWS_PACKED_BY_STEPS);
    }
    int fixed = tiles.shape.rowStride();
    return fixed == 0 ? rows : Math.min(rows, SIZE / fixed);
  }

  /** {@return the packed size of rows and steps} */
  static int size(MicroKernelSet tiles, int rows, int steps) {
    return tiles.isLeftByRows
        ? rows * rowStride(tiles, steps)
        : steps * MicroKernelSet.STRIDE_OF_STEPS;
  }

  static PackedLhs inPlace(GemmProblem product, GemmMatrices matrices) {
    return new PackedLhs(matrices.a(), matrices.aBase(), product.rowsA(), 0, product.stepsA(), 0);
  }

  /**
   * {@return rows i0 to i1 and steps k0 to k1, to be packed into an array, one row by another, or
   * one step by another}
   */
  static PackedLhs of(MicroKernelSet tiles, Object array, int i0, int i1, int k0, int k1) {
    boolean byRows = tiles.isLeftByRows;
    return new PackedLhs(
        array,
        0,
        DimensionOffsets.strided(i1 - i0, byRows ? rowStride(tiles, k1 - k0) : 1),
        i0,
        DimensionOffsets.strided(k1 - k0, byRows ? 1 : MicroKernelSet.STRIDE_OF_STEPS),
        k0);
  }

  /** {@return the position of a row at a step} */
  int position(int i, int k) {
    return start + rows.at(i - i0) + steps.at(k - k0);
  }

  /** Packs all rows and steps, some steps at a time. */
  void pack(
      MicroKernelSet tiles, GemmMatrices matrices, KernelContext context, boolean isParallel) {
    GemmProblem product = tiles.product;
    int i1 = i0 + rows.count();
    new Parallel(context, isParallel, steps.count(), KBlocks.MAX)
        .run((first, end) -> {
          int from = k0 + first;
          int to = k0 + end;
          boolean byRows = tiles.isLeftByRows;
          MatrixPart part =
              byRows
                  ? new MatrixPart(product.rowsA(), i0, i1, product.stepsA(), from, to)
                  : new MatrixPart(product.stepsA(), from, to, product.rowsA(), i0, i1);
          int stride = byRows ? rows.stride() : steps.stride();
          tiles
              .copies()
              .gather(matrices.a(), matrices.aBase(), part, array, position(i0, from), stride);
        });
  }
}
