package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/** Products of small row-major matrices. Their tiles read both sides in place. */
final class UnpackedGemm {
  private final GemmProblem product;
  private final MicroKernelShape shape;
  private final @Nullable MicroKernel[][] microKernels;

  UnpackedGemm(AccumulatorType accumulatorType, GemmProblem product, GemmPlan plan) {
    this.product = product;
    GemmPlan.Tile tile = plan.tile();
    int stepStride = product.stepsA().isContiguous() ? 1 : 0;
    this.shape =
        new MicroKernelShape(
            accumulatorType,
            tile.lanes(),
            tile.rows(),
            tile.vectors(),
            stepStride,
            false,
            false,
            1);
    this.microKernels = new @Nullable MicroKernel[shape.rows() + 1][shape.vectors() + 1];
  }

  /**
   * {@return whether all tiles that the product needs are ready} Starts the warm-up of those that
   * are not, if there is enough work for them.
   *
   * @param work the number of multiply-adds that are to be done
   */
  boolean isReady(double work) {
    return MicroKernels.fill(
        microKernels,
        new int[] {shape.rows(), product.rows() % shape.rows()},
        new int[] {
          product.columns() < shape.width() ? 0 : shape.vectors(),
          product.columns() % shape.width() / shape.lanes()
        },
        shape::withRowsAndVectors,
        work);
  }

  void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    double each = product.work() / product.batches();
    Parallel.forRange(
        context,
        product.batches(),
        1 + (int) (Machine.SMALL_PRODUCT_GRAIN / each),
        (first, end) -> {
          for (int batch = first; batch < end; batch++) {
            run(GemmMatrices.of(product, a, b, c, epilogue, batch));
          }
        });
  }

  /** Computes one matrix. All tiles have to be ready. */
  void run(GemmMatrices matrices) {
    int leadingDimension = product.stepsB().stride();
    for (int i = 0; i < product.rows(); i += shape.rows()) {
      int rows = Math.min(shape.rows(), product.rows() - i);
      int left = matrices.aBase() + i * product.rowsA().stride();
      int to = matrices.cBase() + i * leadingDimension;
      for (int j = 0; j < product.columns(); j += shape.width()) {
        int vectors = Math.min(shape.width(), product.columns() - j) / shape.lanes();
        Objects.requireNonNull(microKernels[rows][vectors])
            .run(
                matrices.a(),
                left,
                product.rowsA().stride(),
                product.stepsA().stride(),
                matrices.b(),
                matrices.bBase() + j,
                leadingDimension,
                matrices.c(),
                to + j,
                leadingDimension,
                product.k(),
                false);
      }
    }
    matrices.runEpilogue(product, 0, product.rows(), 0, product.columns());
  }
}
