package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.Pieces;

/**
 * The loops around the micro-kernels, which multiply rows of the left side with panels of the right
 * side in blocks b0 to b1 of the steps. Each tile of the result is computed for all of these
 * blocks, so that it stays in the cache meanwhile.
 *
 * @param tiles the micro-kernels
 * @param matrices the arrays of the product
 * @param left the left side
 * @param panels the right side
 * @param b0 the first block
 * @param b1 the end of the blocks, exclusive
 */
record MacroKernel(
    MicroKernelSet tiles, GemmMatrices matrices, PackedLhs left, Panels panels, int b0, int b1) {
  /** {@return whether tiles of whole vectors are stored in the result itself} */
  static boolean storesDirectly(GemmProblem product) {
    return product.columnsC().isContiguous() && product.rowsC().hasConstantStride();
  }

  /**
   * Multiplies rows i0 to i1 with columns j0 to j1, where a panel begins. Panels whose columns are
   * not whole vectors in the result are computed in a workspace and copied.
   */
  void run(int i0, int i1, int j0, int j1) {
    GemmProblem product = tiles.product;
    int rest = (j1 - j0) % tiles.shape.width();
    int end = rest % tiles.shape.lanes() == 0 ? j1 : j1 - rest;
    if (storesDirectly(product)) {
      int stride = product.rowsC().stride();
      run(matrices.c(), matrices.cBase() + i0 * stride + j0, stride, i0, i1, j0, end);
    } else {
      runInWorkspace(i0, i1, j0, end);
    }
    runInWorkspace(i0, i1, end, j1);
  }

  /**
   * If the last columns of a side that is read in place do not fill vectors, these begin further
   * left, so that some columns are computed twice.
   */
  private void runInWorkspace(int i0, int i1, int j, int end) {
    if (j == end) {
      return;
    }
    int width = tiles.roundUpToVectors(end - j);
    int twice = panels.array() == matrices.b() ? width - (end - j) : 0;
    Object sums = tiles.workspace().result((i1 - i0) * width);
    MatrixPart part =
        new MatrixPart(tiles.product.rowsC(), i0, i1, tiles.product.columnsC(), j, end);
    if (b0 > 0) {
      tiles.copies().gather(matrices.c(), matrices.cBase(), part, sums, twice, width);
    }
    run(sums, 0, width, i0, i1, j - twice, end);
    tiles.copies().scatter(sums, twice, width, matrices.c(), matrices.cBase(), part, false);
  }

  /** Stores the sums from a position on. */
  private void run(Object to, int start, int stride, int i0, int i1, int j0, int j1) {
    int run = tiles.rowRun();
    Pieces pieces = new Pieces();
    KBlocks kBlocks = tiles.plan.kBlocks();
    long work = (long) (i1 - i0) * (kBlocks.end(b1 - 1) - kBlocks.start(b0));
    for (int j = j0; j < j1; j += tiles.shape.width()) {
      pieces.next(work);
      for (int i = i0, rows; i < i1; i += rows) {
        rows = Math.min(tiles.shape.rows(), Math.min(i1 - i, run - i % run));
        tile(i, rows, j, to, start + (i - i0) * stride + j - j0, stride);
      }
    }
  }

  private void tile(int i, int rows, int j, Object to, int at, int stride) {
    MicroKernel microKernel = tiles.microKernel(rows, panels.columns(j));
    KBlocks kBlocks = tiles.plan.kBlocks();
    for (int block = b0; block < b1; block++) {
      int k = kBlocks.start(block);
      microKernel.run(
          left.array(),
          left.position(i, k),
          left.rows().stride(),
          left.steps().stride(),
          panels.array(),
          panels.position(j, k),
          panels.stride(j),
          to,
          at,
          stride,
          kBlocks.end(block) - k,
          block > 0);
    }
  }
}
