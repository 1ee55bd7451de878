package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.Pieces;
import org.jspecify.annotations.Nullable;

/**
 * A matrix-vector product, with one vector or a few, where the rows of the matrix are contiguous
 * along the contracting dimension. The matrix is read in place, so that it runs at the speed of
 * memory. Each sum is accumulated in {@link #LANES} partial sums, see {@link RowSums}. The sums of
 * blocks of at most {@link KBlocks#MAX} products for each of these are added in order, and the
 * products that are left over are added last.
 */
final class Gemv extends GemmAlgorithm.OfProduct {
  /** The number of partial sums of an element. It does not depend on the width of vectors. */
  static final int LANES = 32;

  private static final int MIN_ROWS_OF_CHUNK = 16;
  private static final int MAX_ROWS_OF_CHUNK = 512;
  private static final int ELEMENTS_OF_CHUNK = 32 * 1024;

  /** Padding of widened rows, which keeps them out of the same cache sets. */
  private static final int PADDING = 16;

  private final GemmArithmetic arithmetic;
  private final MatrixCopies copies;
  private final @Nullable Widenings widenings;
  private final RowBlocks rows;

  /** The product with columns as they are read: in place, or packed one after another. */
  private final GemmProblem read;

  private final @Nullable RowSumsShape shape;
  private final int lanes;
  private @Nullable RowSums vectors;

  Gemv(GemmConfig config, GemmPlan plan) {
    super(config, plan);
    this.widenings = config.left();
    this.arithmetic = GemmArithmetic.of(accumulatorType);
    this.copies = MatrixCopies.of(accumulatorType);
    int k = product.k();
    int mostRows = Math.clamp(ELEMENTS_OF_CHUNK / k, MIN_ROWS_OF_CHUNK, MAX_ROWS_OF_CHUNK);
    this.rows = RowBlocks.balanced(product.rows(), MIN_ROWS_OF_CHUNK, mostRows);
    boolean isInPlace = plan.right() == GemmPlan.Packing.IN_PLACE;
    this.read = isInPlace ? product : product.withPackedRight(1, k);
    this.lanes = Math.max(1, plan.tile().lanes());
    int group = Math.min(lanes, product.rows());
    int rows = Math.min(plan.tile().rows(), product.rows());
    this.shape = plan.hasTiles() ? new RowSumsShape(accumulatorType, lanes, group, rows) : null;
  }

  @Override
  public boolean isReady() {
    if (vectors == null && shape != null) {
      vectors = MicroKernels.getIfReady(shape, product.work());
    }
    return vectors != null || shape == null;
  }

  @Override
  public boolean widensLeft() {
    return plan.widens();
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    if (plan.right() == GemmPlan.Packing.IN_PLACE) {
      multiply(a, b, c, context);
      return;
    }
    MatrixPart columns = product.right().transposed();
    withPackedRight(b, columns, context, packed -> multiply(a, packed, c, context));
  }

  private void multiply(Object left, Object right, Object c, KernelContext context) {
    RowSums sums = isReady() && vectors != null ? vectors : arithmetic;
    new Parallel(context, plan.split() == GemmPlan.Split.ROWS, product.batches() * rows.count())
        .forEach(chunk -> {
          int batch = chunk / rows.count();
          int i0 = rows.start(chunk % rows.count());
          int i1 = rows.end(chunk % rows.count());
          multiply(sums, GemmMatrices.of(read, left, right, c, Epilogue.NONE, batch), i0, i1);
        });
  }

  /** Computes some rows of the result in the workspace, column by column, and stores them. */
  private void multiply(RowSums kernel, GemmMatrices matrices, int i0, int i1) {
    int stride = i1 - i0 + lanes;
    int count = stride * product.columns();
    Object sums = ThreadWorkspace.of(accumulatorType).result(count);
    copies.clear(sums, 0, count);
    Pieces pieces = new Pieces();
    int blocks = plan.kBlocks().count();
    for (int block = 0; block < blocks; block++) {
      int k0 = plan.kBlocks().start(block) * LANES;
      int k1 = block + 1 < blocks ? plan.kBlocks().end(block) * LANES : product.k();
      pieces.next((long) (k1 - k0) / LANES * count);
      addProducts(kernel, matrices, i0, i1, k0, k1, sums);
    }
    MatrixPart part =
        new MatrixPart(product.columnsC(), 0, product.columns(), product.rowsC(), i0, i1);
    copies.scatter(sums, 0, stride, matrices.c(), matrices.cBase(), part, false);
  }

  /**
   * Adds the products of some steps, of which those that are left over are last. Narrow rows are
   * widened into the workspace, unless another part of the same product had the operand widened
   * already.
   */
  private void addProducts(
      RowSums kernel, GemmMatrices matrices, int i0, int i1, int k0, int k1, Object sums) {
    Object left = matrices.a();
    int start = matrices.aBase() + product.rowsA().at(i0) + k0;
    int stride = product.rowsA().stride();
    if (widenings != null && !(left instanceof float[])) {
      int widened = k1 - k0 + PADDING;
      Object to = ThreadWorkspace.of(accumulatorType).buffer((i1 - i0) * widened).array();
      widenings.run(left, start, stride, i1 - i0, k1 - k0, to, 0, widened);
      left = to;
      start = 0;
      stride = widened;
    }
    Object[] arrays = {left, matrices.b(), sums};
    int rows = i1 - i0;
    int whole = (k1 - k0) / LANES * LANES;
    for (int j = 0; j < product.columns(); j++) {
      int right = matrices.bBase() + read.columnsB().at(j) + k0;
      int t = j * (rows + lanes);
      kernel.run(arrays, start, stride, right, whole, t, 0, rows);
      arithmetic.addRest(arrays, start + whole, stride, right + whole, k1 - k0 - whole, t, rows);
    }
  }
}
