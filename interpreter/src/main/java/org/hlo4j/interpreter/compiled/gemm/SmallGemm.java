package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;

/**
 * Products of small matrices by plain loops, which compute four sums at a time, each in order of k.
 */
final class SmallGemm {
  private static final double ON_ONE_THREAD = 50_000;

  /** The number of columns whose sums are computed together. */
  private static final int TOGETHER = 4;

  private final AccumulatorType carrier;
  private final GemmProblem product;

  /** Whether rows and columns are exchanged, because there are more rows. */
  private final boolean isTransposed;

  SmallGemm(AccumulatorType carrier, GemmProblem product) {
    this.carrier = carrier;
    this.product = product;
    this.isTransposed =
        product.columns() < TOGETHER
            && product.rows() > product.columns()
            && product.rowsA().hasConstantStride()
            && product.rowsC().hasConstantStride();
  }

  void run(Object a, Object b, Object c, KernelContext context, Epilogue finish) {
    double each = Math.max(1, product.work()) / Math.max(1, product.batches());
    RowPieces cuts = RowPieces.of(product.batches(), 1 + (int) (ON_ONE_THREAD / each));
    GemmProblem wider = isTransposed ? product.transposed() : product;
    GemmArithmetic arithmetic = GemmArithmetic.of(carrier);
    ParallelChunks.run(
        context,
        false,
        cuts.count(),
        chunk -> {
          context.checkLimits();
          int end = cuts.end(chunk);
          for (int batch = cuts.start(chunk); batch < end; batch++) {
            GemmMatrices matrices =
                isTransposed
                    ? GemmMatrices.of(wider, b, a, c, finish, batch)
                    : GemmMatrices.of(wider, a, b, c, finish, batch);
            arithmetic.small(wider, matrices);
            matrices.finish(product, 0, product.rows(), 0, product.columns());
          }
        });
  }
}
