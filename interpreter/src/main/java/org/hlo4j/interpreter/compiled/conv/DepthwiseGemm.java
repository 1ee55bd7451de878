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
import org.hlo4j.interpreter.compiled.gemm.ImageBorder;
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
  private final DepthwiseTiles tiles;
  private final boolean isInPlace;

  DepthwiseGemm(AccumulatorType accumulatorType, GemmProblem product, ImageBorder border) {
    super(accumulatorType, product);
    this.isInPlace = product.columnsC().isContiguous();
    DimensionOffsets rowsC = isInPlace ? product.rowsC() : rowsOfSums();
    this.tiles = new DepthwiseTiles(accumulatorType, product, rowsC, border);
  }

  private DimensionOffsets rowsOfSums() {
    return DimensionOffsets.strided(product.rows(), product.columns());
  }

  @Override
  public void warmUp() {
    tiles.isReady();
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    boolean ready = tiles.isReady();
    double each = product.work() / tiles.count();
    double sums = (double) product.rows() * product.columns() / tiles.count();
    double atOnce =
        Math.max(Machine.SMALL_PRODUCT_GRAIN / each, isInPlace ? 0 : Machine.COPY_GRAIN / sums);
    Parallel.forRange(
        context,
        product.work() >= Machine.SMALL_PRODUCT_GRAIN,
        tiles.count(),
        (int) Math.ceil(atOnce),
        (t0, t1) -> {
          if (isInPlace) {
            compute(a, b, c, product.batchesC().at(0), product.rowsC(), t0, t1, ready);
          } else {
            computeAndCopy(a, b, c, t0, t1, ready);
          }
          epilogue.run(tiles.row(t0), tiles.row(t1), 0, product.columns());
        });
  }

  private void compute(
      Object a,
      Object b,
      Object c,
      int start,
      DimensionOffsets rows,
      int t0,
      int t1,
      boolean ready) {
    GemmMatrices matrices =
        new GemmMatrices(
            a, product.batchesA().at(0), b, product.batchesB().at(0), c, start, Epilogue.NONE);
    int blocks = tiles.kBlocks().count();
    tiles.byRows(new DepthwisePart(matrices, rows, t0, t1, 0, blocks, false), ready);
  }

  private void computeAndCopy(Object a, Object b, Object c, int t0, int t1, boolean ready) {
    int columns = product.columns();
    int i0 = tiles.row(t0);
    int i1 = tiles.row(t1);
    Object sums = ThreadWorkspace.of(accumulatorType).result((i1 - i0) * columns);
    compute(a, b, sums, -i0 * columns, rowsOfSums(), t0, t1, ready);
    MatrixPart part = new MatrixPart(product.rowsC(), i0, i1, product.columnsC(), 0, columns);
    MatrixCopies.of(accumulatorType)
        .scatter(sums, 0, columns, c, product.batchesC().at(0), part, false);
  }

  @Override
  public String toString() {
    return "product by lanes " + describeProduct() + ", " + tiles;
  }
}
