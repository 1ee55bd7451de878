package org.hlo4j.interpreter.compiled.gemm;

import java.util.stream.IntStream;

/**
 * The contracting dimension, cut into blocks of nearly equal length. The cuts depend on the product
 * only, and so do the bits of its result.
 */
public final class KBlocks {
  /**
   * The maximum number of steps that are accumulated in a register before the sum is added to the
   * result.
   */
  public static final int MAX = 256;

  private final int[] ends;
  private final int maxLength;

  private KBlocks(int[] ends) {
    this.ends = ends;
    this.maxLength =
        IntStream.range(0, count()).map(block -> end(block) - start(block)).max().orElse(0);
  }

  /**
   * {@return blocks of at most {@code maxLength} steps, none of which crosses a multiple of {@code
   * run}} If there are no steps, there is one empty block, whose sums are zeros.
   */
  static KBlocks of(int total, int run, int maxLength) {
    if (total == 0) {
      return new KBlocks(new int[1]);
    }
    int blocks = Math.ceilDiv(run, maxLength);
    int size = Math.ceilDiv(run, blocks);
    int inRun = Math.ceilDiv(run, size);
    int count = total / run * inRun + Math.ceilDiv(total % run, size);
    return new KBlocks(
        IntStream.range(0, count)
            .map(block ->
                Math.min(total, block / inRun * run + Math.min(run, (block % inRun + 1) * size)))
            .toArray());
  }

  public int count() {
    return ends.length;
  }

  int start(int block) {
    return block == 0 ? 0 : ends[block - 1];
  }

  int end(int block) {
    return ends[block];
  }

  /** {@return the length of the longest block} */
  int maxLength() {
    return maxLength;
  }
}
