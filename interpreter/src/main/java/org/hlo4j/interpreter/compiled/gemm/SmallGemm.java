package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * Products of small matrices by plain loops, which compute four sums at a time, each in order of k.
 */
final class SmallGemm {

  /** The number of columns whose sums are computed together. */
  private static final int SUMS_AT_ONCE = 4;

  private final AccumulatorType accumulatorType;
  private final GemmProblem product;

  /** Whether rows and columns are exchanged, because there are more rows. */
  private final boolean isTransposed;

  SmallGemm(AccumulatorType accumulatorType, GemmProblem product) {
    this.accumulatorType = accumulatorType;
    this.product = product;
    this.isTransposed =
        product.columns() < SUMS_AT_ONCE
            && product.rows() > product.columns()
            && product.rowsA().hasConstantStride()
            && product.rowsC().hasConstantStride();
  }

  void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    double each = Math.max(1, product.work()) / Math.max(1, product.batches());
    GemmProblem wider = isTransposed ? product.transposed() : product;
    GemmArithmetic arithmetic = GemmArithmetic.of(accumulatorType);
    Parallel.forRange(
        context,
        product.batches(),
        1 + (int) (Machine.SCALAR_PRODUCT_GRAIN / each),
        (first, end) -> {
          for (int batch = first; batch < end; batch++) {
            GemmMatrices matrices =
                isTransposed
                    ? GemmMatrices.of(wider, b, a, c, epilogue, batch)
                    : GemmMatrices.of(wider, a, b, c, epilogue, batch);
            arithmetic.smallGemm(wider, matrices);
            matrices.runEpilogue(product, 0, product.rows(), 0, product.columns());
          }
        });
  }
}
