package org.hlo4j.interpreter.compiled.conv;

import java.util.Locale;
import org.hlo4j.interpreter.compiled.gemm.AccumulatorType;
import org.hlo4j.interpreter.compiled.gemm.DepthwisePart;
import org.hlo4j.interpreter.compiled.gemm.DepthwiseTiles;
import org.hlo4j.interpreter.compiled.gemm.DimensionOffsets;
import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.gemm.GemmAlgorithm;
import org.hlo4j.interpreter.compiled.gemm.GemmMatrices;
import org.hlo4j.interpreter.compiled.gemm.GemmProblem;
import org.hlo4j.interpreter.compiled.gemm.MatrixCopies;
import org.hlo4j.interpreter.compiled.gemm.MatrixPart;
import org.hlo4j.interpreter.compiled.gemm.ParallelChunks;
import org.hlo4j.interpreter.compiled.gemm.RowPieces;
import org.hlo4j.interpreter.compiled.gemm.ThreadWorkspace;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A depthwise product, {@code c[i, j] = sum over k of a[i, k, j] * b[k, j]}, whose columns are
 * contiguous in a and b. If they are not in the result, some rows at a time are computed in a
 * workspace and then copied to the result.
 */
final class DepthwiseGemm implements GemmAlgorithm {
  private static final int ROWS_AT_ONCE = 48;
  private static final int MOVED_AT_ONCE = 1 << 14;
  private static final double ON_ONE_THREAD = 100_000;

  private final AccumulatorType carrier;
  private final GemmProblem product;
  private final DepthwiseTiles tiles;
  private final boolean isInPlace;
  private final int run;

  DepthwiseGemm(AccumulatorType carrier, GemmProblem product) {
    this.carrier = carrier;
    this.product = product;
    this.isInPlace = product.columnsC().isContiguous();
    this.run =
        isInPlace
            ? DepthwiseTiles.evenRun(product.rowsA(), product.rowsC())
            : product.rowsA().stridedRunLength();
    this.tiles = new DepthwiseTiles(carrier, product, run);
    tiles.isReady();
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue finish) {
    boolean ready = tiles.isReady();
    int least = isInPlace ? 0 : MOVED_AT_ONCE / product.columns();
    int atOnce = Math.max(ROWS_AT_ONCE, least);
    int rows = run == product.rows() ? atOnce : Math.max(1, atOnce / run) * run;
    RowPieces cuts = RowPieces.of(product.rows(), rows);
    ParallelChunks.run(
        context,
        product.work() < ON_ONE_THREAD,
        cuts.count(),
        chunk -> {
          context.checkLimits();
          int i0 = cuts.start(chunk);
          int i1 = cuts.end(chunk);
          if (isInPlace) {
            rows(a, b, c, product.batchesC().at(0), product.rowsC(), i0, i1, ready);
          } else {
            moved(a, b, c, i0, i1, ready);
          }
          finish.run(i0, i1, 0, product.columns());
        });
  }

  private void rows(
      Object a,
      Object b,
      Object c,
      int start,
      DimensionOffsets rows,
      int i0,
      int i1,
      boolean ready) {
    GemmMatrices matrices =
        new GemmMatrices(
            a, product.batchesA().at(0), b, product.batchesB().at(0), c, start, Epilogue.NONE);
    int blocks = tiles.steps().count();
    tiles.byRows(new DepthwisePart(matrices, rows, i0, i1, 0, 0, blocks), ready);
  }

  private void moved(Object a, Object b, Object c, int i0, int i1, boolean ready) {
    int columns = product.columns();
    Object sums = ThreadWorkspace.of(carrier).result((i1 - i0) * columns);
    rows(a, b, sums, -i0 * columns, DimensionOffsets.even(product.rows(), columns), i0, i1, ready);
    MatrixPart part = new MatrixPart(product.rowsC(), i0, i1, product.columnsC(), 0, columns);
    MatrixCopies.of(carrier).scatter(sums, 0, columns, c, product.batchesC().at(0), part, false);
  }

  @Override
  public boolean hasRows() {
    return product.isStoredByRows();
  }

  @Override
  public int columns() {
    return product.columns();
  }

  @Override
  public String toString() {
    String type = carrier.toString().toLowerCase(Locale.ROOT);
    return "product by lanes " + type + " " + product + ", " + tiles;
  }
}
