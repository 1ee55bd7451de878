package org.hlo4j.interpreter.compiled.gemm;

/**
 * A range of rows and of blocks of the contracting dimension in a depthwise product, and the
 * destination of its sums.
 *
 * @param matrices the operands and the destination of the sums
 * @param rows the offsets of the rows of sums
 * @param i0 the first row
 * @param i1 the end of the rows, exclusive
 * @param firstBlock the block whose sums are stored; those of later blocks are added to them
 * @param b0 the first block
 * @param b1 the end of the blocks, exclusive
 */
public record DepthwisePart(
    GemmMatrices matrices, DimensionOffsets rows, int i0, int i1, int firstBlock, int b0, int b1) {
  /** {@return the same rows with a single block} */
  public DepthwisePart block(int block) {
    return new DepthwisePart(matrices, rows, i0, i1, firstBlock, block, block + 1);
  }
}
