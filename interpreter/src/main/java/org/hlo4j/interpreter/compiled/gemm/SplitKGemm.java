package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A split-K product. It has few sums of many steps each, and columns of the left side are summed
 * over, as in the product of a matrix of observations with itself: a single tile, and so work for a
 * single thread. Therefore the contracting dimension is cut into parts of equal length. They are
 * the batches of a product that threads share, and their results are added in order.
 */
final class SplitKGemm extends GemmAlgorithm.OfProduct {
  private static final int MAX_SUMS = 1 << 11;
  private static final int MIN_STEPS = 1 << 10;
  private static final int MAX_PARTS = 16;

  private final GemmProblem parts;
  private final Gemm gemm;

  private SplitKGemm(AccumulatorType accumulatorType, GemmProblem product, int count) {
    super(accumulatorType, product);
    this.parts = parts(product, count);
    this.gemm = new Gemm(accumulatorType, parts, null);
  }

  /**
   * {@return the algorithm for a product of this kind whose steps can be cut into equal parts,
   * otherwise null}
   */
  static @Nullable SplitKGemm of(AccumulatorType accumulatorType, GemmProblem product) {
    boolean fits =
        product.batches() == 1
            && (double) product.rows() * product.columns() <= MAX_SUMS
            && product.stepsA().hasConstantStride()
            && !product.stepsA().isContiguous()
            && product.stepsB().hasConstantStride();
    int count = fits ? count(product.k()) : 1;
    return count > 1 ? new SplitKGemm(accumulatorType, product, count) : null;
  }

  private static int count(int steps) {
    int count = Math.min(MAX_PARTS, steps / MIN_STEPS);
    while (count > 1 && steps % count != 0) {
      count--;
    }
    return count;
  }

  /** {@return the parts as batches, whose results are stored one after another} */
  private static GemmProblem parts(GemmProblem product, int count) {
    int steps = product.k() / count;
    int strideA = product.stepsA().stride();
    int strideB = product.stepsB().stride();
    int rows = product.rows();
    int columns = product.columns();
    return new GemmProblem(
        DimensionOffsets.strided(count, steps * strideA).plus(product.batchesA().at(0)),
        product.rowsA(),
        DimensionOffsets.strided(steps, strideA),
        DimensionOffsets.strided(count, steps * strideB).plus(product.batchesB().at(0)),
        DimensionOffsets.strided(steps, strideB),
        product.columnsB(),
        DimensionOffsets.strided(count, rows * columns),
        DimensionOffsets.strided(rows, columns),
        DimensionOffsets.strided(columns, 1));
  }

  @Override
  public void warmUp() {
    gemm.warmUp();
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    int rows = product.rows();
    int size = rows * product.columns();
    AlignedBuffer buffer = SharedWorkspace.borrow(accumulatorType, parts.batches() * size);
    gemm.run(a, b, buffer.array(), context, Epilogue.NONE);
    MatrixCopies.of(accumulatorType)
        .scatterSums(buffer.array(), parts.batches(), product, c, 0, rows);
    SharedWorkspace.release(accumulatorType, buffer);
    epilogue.run(0, rows, 0, product.columns());
  }

  @Override
  public String toString() {
    return "sums of " + parts.batches() + " parts: " + gemm;
  }
}
