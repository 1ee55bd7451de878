package org.hlo4j.interpreter.compiled.gemm;

/**
 * Some rows and blocks of steps of a product by lanes, and where their sums go.
 *
 * @param matrices where both sides begin, and the sums
 * @param rows where the rows of sums lie
 * @param i0 the first row
 * @param i1 behind the last row
 * @param first the block that is stored; those behind it are added
 * @param b0 the first block
 * @param b1 behind the last block
 */
public record DepthwisePart(
    GemmMatrices matrices, DimensionOffsets rows, int i0, int i1, int first, int b0, int b1) {
  /** One of the blocks. */
  public DepthwisePart block(int block) {
    return new DepthwisePart(matrices, rows, i0, i1, first, block, block + 1);
  }
}
