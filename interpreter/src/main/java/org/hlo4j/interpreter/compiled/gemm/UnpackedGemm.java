package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/** Products of small row-major matrices. Their tiles read both sides in place. */
final class UnpackedGemm {
  private static final double MAX_WORK = 1 << 18;
  private static final int MIN_LANES = 4;
  private static final int MAX_VECTORS = 4;

  /**
   * The maximum for a single row. It has more accumulators, since each has to wait for its previous
   * multiply-add.
   */
  private static final int MAX_VECTORS_OF_ROW = 8;

  private final GemmProblem product;
  private final MicroKernelShape shape;
  private final @Nullable MicroKernel[][] microKernels;

  private UnpackedGemm(GemmProblem product, MicroKernelShape shape) {
    this.product = product;
    this.shape = shape;
    this.microKernels = new @Nullable MicroKernel[shape.rows() + 1][shape.vectors() + 1];
  }

  /** {@return the computation of a product of this kind, otherwise null} */
  static @Nullable UnpackedGemm of(AccumulatorType accumulatorType, GemmProblem product) {
    double each = product.work() / Math.max(1, product.batches());
    if (!fits(product)
        || product.work() <= Gemm.SMALL
        || each > MAX_WORK
        || !Machine.isVectorApiOn()) {
      return null;
    }
    int lanes = lanes(accumulatorType, product.columns());
    return product.columns() % lanes == 0 ? of(accumulatorType, product, lanes, MAX_VECTORS) : null;
  }

  private static UnpackedGemm of(
      AccumulatorType accumulatorType, GemmProblem product, int lanes, int maxVectors) {
    int rows = Math.ceilDiv(product.rows(), Math.ceilDiv(product.rows(), MicroKernelSet.ROWS));
    int vectors = Math.min(maxVectors, product.columns() / lanes);
    int stepStride = product.stepsA().isContiguous() ? 1 : 0;
    return new UnpackedGemm(
        product,
        new MicroKernelShape(accumulatorType, lanes, rows, vectors, stepStride, false, false, 1));
  }

  /**
   * {@return the computation of a small product of this kind, with vectors that are short enough
   * for its rows; otherwise null}
   */
  static @Nullable UnpackedGemm ofSmall(AccumulatorType accumulatorType, GemmProblem product) {
    if (!fits(product) || !Machine.isVectorApiOn()) {
      return null;
    }
    int lanes = lanes(accumulatorType, product.columns());
    while (product.columns() % lanes != 0 && lanes > MIN_LANES) {
      lanes /= 2;
    }
    int maxVectors = product.rows() == 1 ? MAX_VECTORS_OF_ROW : MAX_VECTORS;
    return product.columns() % lanes == 0 ? of(accumulatorType, product, lanes, maxVectors) : null;
  }

  /**
   * {@return the lanes of the widest vectors, or of narrower ones for rows shorter than a vector}
   */
  private static int lanes(AccumulatorType accumulatorType, int columns) {
    int lanes = Machine.vectorBits() / accumulatorType.bits();
    while (lanes > columns && lanes > MIN_LANES) {
      lanes /= 2;
    }
    return lanes;
  }

  private static boolean fits(GemmProblem product) {
    return product.rowsA().hasConstantStride()
        && product.hasConstantStrides()
        && product.stepsA().stride() >= 0
        && product.k() <= KBlocks.MAX
        && product.columnsB().isContiguous()
        && product.columnsC().isContiguous()
        && product.rowsC().hasConstantStride()
        && (product.rows() == 1 || product.rowsC().stride() == product.stepsB().stride());
  }

  /**
   * {@return whether all tiles that the product needs are ready} Starts the warm-up of those that
   * are not, if there is enough work for them.
   *
   * @param work the number of multiply-adds that are to be done
   */
  boolean isReady(double work) {
    boolean all = true;
    for (int rows : new int[] {shape.rows(), product.rows() % shape.rows()}) {
      for (int columns : new int[] {shape.width(), product.columns() % shape.width()}) {
        int vectors = columns / shape.lanes();
        if (rows > 0 && vectors > 0 && microKernels[rows][vectors] == null) {
          microKernels[rows][vectors] =
              MicroKernels.getIfReady(shape.withRowsAndVectors(rows, vectors), work);
          all &= microKernels[rows][vectors] != null;
        }
      }
    }
    return all;
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

  @Override
  public String toString() {
    return "tiles of "
        + shape.rows()
        + "x"
        + shape.width()
        + " in place, vectors of "
        + shape.lanes();
  }
}
