package org.hlo4j.interpreter.compiled.gemm;

import java.util.Optional;

/**
 * The order in which the products of a dot are added. It depends on the product alone.
 *
 * @param lanes the number of partial sums, of every so many steps
 * @param parts the number of equal parts of the steps, whose sums are added last
 * @param maxLength the maximum number of products of a partial sum that are added in order
 */
record SumOrder(int lanes, int parts, int maxLength) {
  /** The maximum number of partial sums of a product that is cut along its steps. */
  private static final int MAX_SPLIT_SUMS = 1 << 11;

  private static final int MIN_SPLIT_STEPS = 1 << 10;

  static SumOrder of(GemmConfig dot) {
    Optional<GemmProblem> rows = GemvPlanner.rows(dot.product());
    return rows.isPresent()
        ? new SumOrder(Gemv.LANES, 1, new GemvPlanner(dot, 0).maxLength(rows.get()))
        : new SumOrder(1, parts(dot.product()), KBlocks.MAX);
  }

  /** {@return whether a dot accumulates each sum in order of k, in one block} */
  static boolean isInOrder(GemmConfig dot) {
    return dot.product().k() <= KBlocks.MAX && of(dot).lanes == 1;
  }

  /**
   * {@return the number of equal parts into which the steps are cut: there are few sums of many
   * steps each, over columns of both sides, as in the product of a matrix of observations with
   * itself: a single tile, and so work for a single thread}
   */
  static int parts(GemmProblem product) {
    boolean fits =
        product.batches() == 1
            && (double) product.rows() * product.columns() <= MAX_SPLIT_SUMS
            && product.stepsA().hasConstantStride()
            && !product.stepsA().isContiguous()
            && product.stepsB().hasConstantStride()
            && !product.stepsB().isContiguous();
    int count = fits ? Math.clamp(product.k() / MIN_SPLIT_STEPS, 1, GemmPlanner.MAX_PARTS) : 1;
    while (count > 1 && product.k() % count != 0) {
      count--;
    }
    return count;
  }
}
