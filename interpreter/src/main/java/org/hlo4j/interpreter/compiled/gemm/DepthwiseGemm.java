package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A depthwise product, {@code c[i, j] = sum over k of a[i, k, j] * b[k, j]}, whose columns are
 * contiguous in a and b. If they are not in the result, some rows at a time are computed in a
 * workspace and then copied to the result. If there are few rows and many steps, as in the gradient
 * with respect to the kernel of a convolution, threads share parts of the steps; each block of a
 * part is read once, for all rows, and the sums of the parts are added in order.
 */
final class DepthwiseGemm extends GemmAlgorithm.OfProduct {
  private static final double MIN_PARALLEL_SUMS = 200_000;
  private static final int ROWS_AT_ONCE = 8;

  private final DepthwiseTiles tiles;
  private final boolean isSplit;
  private final boolean isInPlace;
  private final RowPieces parts;

  DepthwiseGemm(GemmConfig config, GemmPlan plan) {
    super(config, plan);
    this.isSplit = plan.split() == GemmPlan.Split.STEPS;
    this.isInPlace = !isSplit && product.columnsC().isContiguous();
    DimensionOffsets rows =
        isInPlace ? product.rowsC() : DimensionOffsets.strided(product.rows(), product.columns());
    this.tiles = new DepthwiseTiles(config, plan, rows);
    this.parts = new RowPieces(plan.kBlocks().count(), 1, plan.parts());
  }

  @Override
  public void warmUp() {
    boolean _ = tiles.isReady();
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    boolean _ = tiles.isReady();
    if (isSplit) {
      runParts(a, b, c, context, epilogue);
    } else {
      runRows(a, b, c, context, epilogue);
    }
  }

  private void runRows(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    double each = product.work() / tiles.count();
    double sums = (double) product.rows() * product.columns() / tiles.count();
    double atOnce =
        Math.max(Machine.SMALL_PRODUCT_GRAIN / each, isInPlace ? 0 : Machine.COPY_GRAIN / sums);
    Parallel.forRange(
        context,
        plan.split() == GemmPlan.Split.ROWS,
        tiles.count(),
        (int) Math.ceil(atOnce),
        (t0, t1) -> {
          if (isInPlace) {
            run(a, b, c, product.batchesC().at(0), t0, t1, 0, plan.kBlocks().count());
          } else {
            computeAndCopy(a, b, c, t0, t1);
          }
          epilogue.run(tiles.row(t0), tiles.row(t1), 0, product.columns());
        });
  }

  private void computeAndCopy(Object a, Object b, Object c, int t0, int t1) {
    int columns = product.columns();
    int i0 = tiles.row(t0);
    int i1 = tiles.row(t1);
    Object sums = ThreadWorkspace.of(accumulatorType).result((i1 - i0) * columns);
    run(a, b, sums, -i0 * columns, t0, t1, 0, plan.kBlocks().count());
    MatrixPart part = new MatrixPart(product.rowsC(), i0, i1, product.columnsC(), 0, columns);
    MatrixCopies.of(accumulatorType)
        .scatter(sums, 0, columns, c, product.batchesC().at(0), part, false);
  }

  private void run(Object a, Object b, Object sums, int start, int t0, int t1, int b0, int b1) {
    int aBase = product.batchesA().at(0);
    int bBase = product.batchesB().at(0);
    tiles.run(new GemmMatrices(a, aBase, b, bBase, sums, start, Epilogue.NONE), t0, t1, b0, b1);
  }

  private void runParts(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    int size = product.rows() * product.columns();
    AlignedBuffer buffer = SharedWorkspace.borrow(accumulatorType, parts.count() * size);
    Object sums = buffer.array();
    Parallel.forChunks(
        context,
        parts.count(),
        i -> run(a, b, sums, i * size, 0, tiles.count(), parts.start(i), parts.end(i)));
    Parallel.forRange(
        context,
        parts.count() * size >= MIN_PARALLEL_SUMS,
        product.rows(),
        ROWS_AT_ONCE,
        (i0, i1) -> {
          MatrixCopies.of(accumulatorType).scatterSums(sums, parts.count(), product, c, i0, i1);
          epilogue.run(i0, i1, 0, product.columns());
        });
    SharedWorkspace.release(accumulatorType, buffer);
  }
}
