package org.hlo4j.interpreter.compiled.gemm;

/**
 * A range of tiles and of blocks of the contracting dimension in a depthwise product, and the
 * destination of its sums.
 *
 * @param matrices the operands and the destination of the sums
 * @param rows the offsets of the rows of sums
 * @param t0 the first tile
 * @param t1 the end of the tiles, exclusive
 * @param b0 the first block
 * @param b1 the end of the blocks, exclusive
 * @param add whether to add to the destination
 */
record DepthwisePart(
    GemmMatrices matrices, DimensionOffsets rows, int t0, int t1, int b0, int b1, boolean add) {
  /** {@return the same tiles with other blocks} */
  DepthwisePart blocks(int from, int to) {
    return new DepthwisePart(matrices, rows, t0, t1, from, to, add);
  }

  /** {@return the same tiles with a single block, which is added unless it is the first} */
  DepthwisePart block(int block) {
    return new DepthwisePart(matrices, rows, t0, t1, block, block + 1, add || block > b0);
  }
}
