package org.hlo4j.interpreter.compiled.dots;

import java.util.stream.IntStream;

/**
 * Steps cut into blocks of nearly equal length. Where depends on the product only, as do the bits
 * of its result.
 */
final class Blocks {
  /** How many steps are summed in a register before the sum is added to the result. */
  static final int MOST = 256;

  private final int[] ends;

  private Blocks(int[] ends) {
    this.ends = ends;
  }

  /** Blocks none of which crosses a multiple of a run; no steps are one block, of zeros. */
  static Blocks of(int total, int run) {
    if (total == 0) {
      return new Blocks(new int[1]);
    }
    int pieces = Math.ceilDiv(run, MOST);
    int size = Math.ceilDiv(run, pieces);
    return new Blocks(
        IntStream.rangeClosed(1, total)
            .filter(end -> end % run % size == 0 || end % run == 0 || end == total)
            .toArray());
  }

  int count() {
    return ends.length;
  }

  int start(int block) {
    return block == 0 ? 0 : ends[block - 1];
  }

  int end(int block) {
    return ends[block];
  }

  /** The longest. */
  int most() {
    return IntStream.range(0, count()).map(block -> end(block) - start(block)).max().orElse(0);
  }
}
