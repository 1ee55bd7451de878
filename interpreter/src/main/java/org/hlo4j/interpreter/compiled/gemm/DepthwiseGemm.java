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
  private final DimensionOffsets rows;
  private final RowPieces parts;

  DepthwiseGemm(GemmConfig config, GemmPlan plan) {
    super(config, plan);
    this.isSplit = plan.split() == GemmPlan.Split.STEPS;
    this.isInPlace = !isSplit && product.columnsC().isContiguous();
    this.rows =
        isInPlace ? product.rowsC() : DimensionOffsets.strided(product.rows(), product.columns());
    this.tiles = new DepthwiseTiles(config, plan, rows);
    this.parts = new RowPieces(plan.kBlocks().count(), 1, plan.parts());
  }

  @Override
  public void warmUp() {
    tiles.isReady();
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    boolean ready = tiles.isReady();
    if (isSplit) {
      runParts(a, b, c, context, epilogue, ready);
    } else {
      runRows(a, b, c, context, epilogue, ready);
    }
  }

  private void runRows(
      Object a, Object b, Object c, KernelContext context, Epilogue epilogue, boolean ready) {
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
            tiles.byRows(part(a, b, c, product.batchesC().at(0), t0, t1), ready);
          } else {
            computeAndCopy(a, b, c, t0, t1, ready);
          }
          epilogue.run(tiles.row(t0), tiles.row(t1), 0, product.columns());
        });
  }

  private void computeAndCopy(Object a, Object b, Object c, int t0, int t1, boolean ready) {
    int columns = product.columns();
    int i0 = tiles.row(t0);
    int i1 = tiles.row(t1);
    Object sums = ThreadWorkspace.of(accumulatorType).result((i1 - i0) * columns);
    tiles.byRows(part(a, b, sums, -i0 * columns, t0, t1), ready);
    MatrixPart part = new MatrixPart(product.rowsC(), i0, i1, product.columnsC(), 0, columns);
    MatrixCopies.of(accumulatorType)
        .scatter(sums, 0, columns, c, product.batchesC().at(0), part, false);
  }

  /** {@return some tiles with all blocks of steps, whose sums are stored from a position on} */
  private DepthwisePart part(Object a, Object b, Object sums, int start, int t0, int t1) {
    GemmMatrices matrices =
        new GemmMatrices(
            a, product.batchesA().at(0), b, product.batchesB().at(0), sums, start, Epilogue.NONE);
    return new DepthwisePart(matrices, rows, t0, t1, 0, plan.kBlocks().count(), false);
  }

  private void runParts(
      Object a, Object b, Object c, KernelContext context, Epilogue epilogue, boolean ready) {
    int size = product.rows() * product.columns();
    AlignedBuffer buffer = SharedWorkspace.borrow(accumulatorType, parts.count() * size);
    Parallel.forChunks(
        context,
        parts.count(),
        part ->
            tiles.byBlocks(
                part(a, b, buffer.array(), part * size, 0, tiles.count())
                    .blocks(parts.start(part), parts.end(part)),
                ready));
    Parallel.forRange(
        context,
        parts.count() * size >= MIN_PARALLEL_SUMS,
        product.rows(),
        ROWS_AT_ONCE,
        (i0, i1) -> {
          MatrixCopies.of(accumulatorType)
              .scatterSums(buffer.array(), parts.count(), product, c, i0, i1);
          epilogue.run(i0, i1, 0, product.columns());
        });
    SharedWorkspace.release(accumulatorType, buffer);
  }
}
