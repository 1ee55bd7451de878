package org.hlo4j.interpreter.compiled.gemm;

import java.util.stream.IntStream;

/**
 * Steps cut into blocks of nearly equal length. Where depends on the product only, as do the bits
 * of its result.
 */
public final class KBlocks {
  /** How many steps are summed in a register before the sum is added to the result. */
  public static final int MAX = 256;

  /** So many rows are read at a time as memory has ready at a time. */
  private static final int MIN = 64;

  private final int[] ends;

  private KBlocks(int[] ends) {
    this.ends = ends;
  }

  /** Those of a product whose steps on the left come in runs none of which a block crosses. */
  static KBlocks of(GemmProblem product, int run) {
    int few = Math.clamp(Math.ceilDiv(product.k(), MAX), MIN, MAX);
    return of(product.k(), run, FewRowsGemm.fits(product) ? few : MAX);
  }

  /** Blocks none of which crosses a multiple of a run; no steps are one block, of zeros. */
  static KBlocks of(int total, int run) {
    return of(total, run, MAX);
  }

  /** Blocks of at most so many. */
  static KBlocks of(int total, int run, int most) {
    if (total == 0) {
      return new KBlocks(new int[1]);
    }
    int pieces = Math.ceilDiv(run, most);
    int size = Math.ceilDiv(run, pieces);
    return new KBlocks(
        IntStream.rangeClosed(1, total)
            .filter(end -> end % run % size == 0 || end % run == 0 || end == total)
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

  /** The longest. */
  int most() {
    return IntStream.range(0, count()).map(block -> end(block) - start(block)).max().orElse(0);
  }
}
