package org.hlo4j.interpreter.compiled.conv;

import org.hlo4j.interpreter.compiled.codegen.Machine;
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
import org.hlo4j.interpreter.compiled.gemm.ThreadWorkspace;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A depthwise product, {@code c[i, j] = sum over k of a[i, k, j] * b[k, j]}, whose columns are
 * contiguous in a and b. If they are not in the result, some rows at a time are computed in a
 * workspace and then copied to the result.
 */
final class DepthwiseGemm extends GemmAlgorithm.OfProduct {
  private static final int ROWS_AT_ONCE = 48;

  private final DepthwiseTiles tiles;
  private final boolean isInPlace;
  private final int runLength;

  DepthwiseGemm(AccumulatorType accumulatorType, GemmProblem product) {
    super(accumulatorType, product);
    this.isInPlace = product.columnsC().isContiguous();
    this.runLength =
        isInPlace
            ? DepthwiseTiles.commonStridedRunLength(product.rowsA(), product.rowsC())
            : product.rowsA().stridedRunLength();
    this.tiles = new DepthwiseTiles(accumulatorType, product, runLength);
  }

  @Override
  public void warmUp() {
    tiles.isReady();
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    boolean ready = tiles.isReady();
    int minRows = isInPlace ? 0 : Machine.COPY_GRAIN / product.columns();
    int atOnce = Math.max(ROWS_AT_ONCE, minRows);
    int unit = runLength == product.rows() ? tiles.rows() : runLength;
    Parallel.forRange(
        context,
        product.work() >= Machine.SMALL_PRODUCT_GRAIN,
        product.rows(),
        Math.max(1, atOnce / unit) * unit,
        (i0, i1) -> {
          if (isInPlace) {
            computeRows(a, b, c, product.batchesC().at(0), product.rowsC(), i0, i1, ready);
          } else {
            computeAndCopy(a, b, c, i0, i1, ready);
          }
          epilogue.run(i0, i1, 0, product.columns());
        });
  }

  private void computeRows(
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
    int blocks = tiles.kBlocks().count();
    tiles.byRows(new DepthwisePart(matrices, rows, i0, i1, 0, 0, blocks), ready);
  }

  private void computeAndCopy(Object a, Object b, Object c, int i0, int i1, boolean ready) {
    int columns = product.columns();
    Object sums = ThreadWorkspace.of(accumulatorType).result((i1 - i0) * columns);
    computeRows(
        a,
        b,
        sums,
        -i0 * columns,
        DimensionOffsets.strided(product.rows(), columns),
        i0,
        i1,
        ready);
    MatrixPart part = new MatrixPart(product.rowsC(), i0, i1, product.columnsC(), 0, columns);
    MatrixCopies.of(accumulatorType)
        .scatter(sums, 0, columns, c, product.batchesC().at(0), part, false);
  }

  @Override
  public String toString() {
    return "product by lanes " + describeProduct() + ", " + tiles;
  }
}
