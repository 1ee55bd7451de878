package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.Limits;

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
  /** {@return whether tiles that fit store to the result itself} */
  static boolean storesDirectly(GemmProblem product) {
    return product.columnsC().isContiguous() && product.rowsC().hasConstantStride();
  }

  /** Multiplies rows i0 to i1 with columns j0 to j1, where a panel begins. */
  void run(int i0, int i1, int j0, int j1) {
    GemmProblem product = tiles.product;
    Object c = matrices.c();
    if (storesDirectly(product)) {
      int stride = product.rowsC().stride();
      run(c, matrices.cBase() + i0 * stride + j0, stride, i0, i1, j0, j1);
      return;
    }
    int stride = tiles.roundUpToVectors(j1 - j0);
    Object to = tiles.workspace().result((i1 - i0) * stride);
    MatrixPart part = new MatrixPart(product.rowsC(), i0, i1, product.columnsC(), j0, j1);
    if (b0 > 0) {
      tiles.copies().gather(c, matrices.cBase(), part, to, 0, stride);
    }
    run(to, 0, stride, i0, i1, j0, j1);
    tiles.copies().scatter(to, 0, stride, c, matrices.cBase(), part, false);
  }

  /** Stores the sums from a position on: in the result itself, or in rows of whole vectors. */
  private void run(Object to, int start, int stride, int i0, int i1, int j0, int j1) {
    Object edge = tiles.workspace().edgeTile;
    for (int j = j0; j < j1; j += tiles.shape.width()) {
      if (j > j0) {
        Limits.checkCurrent();
      }
      int columns = panels.columns(j);
      boolean isWhole = to != matrices.c() || columns % tiles.shape.lanes() == 0;
      for (int i = i0, rows; i < i1; i += rows) {
        rows = left.rowsOfTile(i);
        int at = start + (i - i0) * stride + j - j0;
        if (isWhole) {
          tile(i, rows, j, columns, to, at, stride);
        } else {
          edgeTile(edge, i, rows, j, columns, to, at, stride);
        }
      }
    }
  }

  /** Computes a tile that does not fill whole vectors. */
  private void edgeTile(
      Object edgeTile, int i, int rows, int j, int columns, Object to, int at, int stride) {
    int width = tiles.roundUpToVectors(columns);
    DimensionOffsets rowsC = DimensionOffsets.strided(rows, stride);
    MatrixPart part =
        new MatrixPart(rowsC, 0, rows, DimensionOffsets.strided(columns, 1), 0, columns);
    if (b0 > 0) {
      tiles.copies().gather(to, at, part, edgeTile, 0, width);
    }
    tile(i, rows, j, columns, edgeTile, 0, width);
    tiles.copies().scatter(edgeTile, 0, width, to, at, part, false);
  }

  private void tile(int i, int rows, int j, int columns, Object to, int at, int stride) {
    MicroKernel microKernel = tiles.microKernel(rows, columns);
    KBlocks kBlocks = tiles.kBlocks;
    for (int block = b0; block < b1; block++) {
      int k = kBlocks.start(block);
      microKernel.run(
          left.array(),
          left.position(i, block),
          left.stride(),
          tiles.product.stepsA().stride(),
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
