package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A split-K product: the parts of the contracting dimension are the batches of a product that
 * threads share, and their results are added in order.
 */
final class SplitKGemm extends GemmAlgorithm.OfProduct {
  private final GemmAlgorithm gemm;

  SplitKGemm(GemmConfig config, GemmPlan plan) {
    super(config, plan);
    this.gemm = GemmAlgorithm.of(config.parts(plan.parts()));
  }

  @Override
  public boolean isReady() {
    return gemm.isReady();
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    int rows = product.rows();
    int size = rows * product.columns();
    int all = plan.parts() * size;
    AlignedBuffer buffer = SharedWorkspace.borrow(context, accumulatorType, all);
    gemm.run(a, b, buffer.array(), context, Epilogue.NONE);
    MatrixCopies.of(accumulatorType).scatterSums(buffer.array(), plan.parts(), product, c, 0, rows);
    SharedWorkspace.release(context, accumulatorType, all, buffer);
    epilogue.run(0, rows, 0, product.columns());
  }
}
