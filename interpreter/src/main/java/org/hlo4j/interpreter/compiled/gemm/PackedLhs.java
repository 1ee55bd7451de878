package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * Some rows and blocks of steps of the left side in the layout that the tiles read: packed, or in
 * place.
 *
 * @param tiles the tiles that read them
 * @param matrices the arrays of the product
 * @param array the array of packed elements, or of the left side if it is read in place
 * @param i0 the first row
 * @param i1 the end of the rows, exclusive
 * @param b0 the first block of steps
 * @param b1 the end of the blocks, exclusive
 */
record PackedLhs(
    MicroKernelSet tiles, GemmMatrices matrices, Object array, int i0, int i1, int b0, int b1) {
  /** The length of an array for the rows and blocks that are packed by one thread. */
  static final int SIZE = 4 * KBlocks.MAX * MicroKernelSet.STRIDE_OF_STEPS;

  private static final int STEPS = 1024;
  private static final int BYTES_OF_ROW = 384 * 4;
  private static final int MAX_ROWS_PACKED_BY_STEPS = 96;

  /** {@return the number of blocks of steps that are multiplied at a time} */
  static int blocks(KBlocks steps) {
    return Math.max(1, STEPS / Math.max(1, steps.maxLength()));
  }

  /** {@return the maximum number of rows for the given number of blocks of steps} */
  static int rows(MicroKernelSet tiles, int blocks) {
    int rows = BYTES_OF_ROW * Byte.SIZE / tiles.shape.accumulatorType().bits() / blocks;
    return tiles.isLeftByRows ? rows : Math.min(rows, MAX_ROWS_PACKED_BY_STEPS);
  }

  /** {@return the packed size of rows in the given number of blocks of steps} */
  static int size(MicroKernelSet tiles, int rows, int blocks) {
    return blocks
        * (tiles.isLeftByRows
            ? rows * MicroKernelSet.STRIDE_OF_ROWS
            : KBlocks.MAX * MicroKernelSet.STRIDE_OF_STEPS);
  }

  /** {@return the position of a row at the first step of a block} */
  int position(int i, int block) {
    GemmProblem product = tiles.product;
    return tiles.isInPlace
        ? matrices.aBase() + product.rowsA().at(i) + product.stepsA().at(tiles.kBlocks.start(block))
        : size(tiles, i1 - i0, block - b0) + (i - i0) * stride();
  }

  /** {@return the stride of the rows} */
  int stride() {
    return tiles.isInPlace
        ? tiles.product.rowsA().stride()
        : tiles.isLeftByRows ? MicroKernelSet.STRIDE_OF_ROWS : 1;
  }

  /** {@return the number of rows of the tile that begins at row {@code i}} */
  int rowsOfTile(int i) {
    int run = tiles.rowRun();
    return Math.min(tiles.shape.rows(), Math.min(i1 - i, run - i % run));
  }

  /** Packs all rows and steps. */
  void pack(KernelContext context, boolean isParallel) {
    int pieces = Math.ceilDiv(i1 - i0, MAX_ROWS_PACKED_BY_STEPS);
    Parallel.forChunks(
        context,
        isParallel,
        pieces * (b1 - b0),
        chunk -> {
          int from = i0 + chunk % pieces * MAX_ROWS_PACKED_BY_STEPS;
          pack(b0 + chunk / pieces, from, Math.min(i1, from + MAX_ROWS_PACKED_BY_STEPS));
        });
  }

  private void pack(int block, int from, int to) {
    GemmProblem product = tiles.product;
    int k0 = tiles.kBlocks.start(block);
    int k1 = tiles.kBlocks.end(block);
    boolean byRows = tiles.isLeftByRows;
    MatrixPart part =
        byRows
            ? new MatrixPart(product.rowsA(), from, to, product.stepsA(), k0, k1)
            : new MatrixPart(product.stepsA(), k0, k1, product.rowsA(), from, to);
    int stride = byRows ? MicroKernelSet.STRIDE_OF_ROWS : MicroKernelSet.STRIDE_OF_STEPS;
    tiles
        .copies()
        .gather(matrices.a(), matrices.aBase(), part, array, position(from, block), stride);
  }
}
