package org.hlo4j.interpreter.compiled.conv;

import org.hlo4j.interpreter.compiled.gemm.AccumulatorType;
import org.hlo4j.interpreter.compiled.gemm.AlignedBuffer;
import org.hlo4j.interpreter.compiled.gemm.DepthwisePart;
import org.hlo4j.interpreter.compiled.gemm.DepthwiseTiles;
import org.hlo4j.interpreter.compiled.gemm.DimensionOffsets;
import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.gemm.GemmAlgorithm;
import org.hlo4j.interpreter.compiled.gemm.GemmMatrices;
import org.hlo4j.interpreter.compiled.gemm.GemmProblem;
import org.hlo4j.interpreter.compiled.gemm.ImageBorder;
import org.hlo4j.interpreter.compiled.gemm.KBlocks;
import org.hlo4j.interpreter.compiled.gemm.MatrixCopies;
import org.hlo4j.interpreter.compiled.gemm.RowPieces;
import org.hlo4j.interpreter.compiled.gemm.SharedWorkspace;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A depthwise product, as {@link DepthwiseGemm} is, with few rows and many steps, as in the
 * gradient of a depthwise convolution with respect to its kernel. The steps are cut into parts that
 * threads share; each block of a part is read once, for all rows. The sums of the parts are added
 * in order.
 */
final class DepthwiseSplitK extends GemmAlgorithm.OfProduct {
  private static final double PART = 200_000;
  private static final int MAX_PARTS = 16;
  private static final int MAX_SUMS = 1 << 22;
  private static final int ROWS_AT_ONCE = 8;

  private final DepthwiseTiles tiles;
  private final RowPieces parts;

  DepthwiseSplitK(AccumulatorType accumulatorType, GemmProblem product) {
    super(accumulatorType, product);
    this.tiles =
        new DepthwiseTiles(
            accumulatorType,
            product,
            DimensionOffsets.strided(product.rows(), product.columns()),
            ImageBorder.NONE);
    int blocks = tiles.kBlocks().count();
    int room = Math.max(1, MAX_SUMS / size());
    double shared = Math.clamp(product.work() / PART, 1, MAX_PARTS);
    double accurate = Math.ceilDiv(blocks, KBlocks.MAX);
    int count = (int) Math.min(Math.min(Math.max(shared, accurate), room), blocks);
    this.parts = new RowPieces(blocks, 1, count);
  }

  /** {@return whether sums are so long, and so few, that it is worthwhile to cut them} */
  static boolean fits(GemmProblem product) {
    return product.k() > KBlocks.MAX && product.k() > product.rows();
  }

  private int size() {
    return product.rows() * product.columns();
  }

  @Override
  public void warmUp() {
    tiles.isReady();
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    boolean ready = tiles.isReady();
    AlignedBuffer buffer = SharedWorkspace.borrow(accumulatorType, parts.count() * size());
    Object sums = buffer.array();
    DimensionOffsets rows = DimensionOffsets.strided(product.rows(), product.columns());
    Parallel.forChunks(
        context,
        parts.count(),
        part -> {
          int b0 = parts.start(part);
          GemmMatrices matrices =
              new GemmMatrices(
                  a,
                  product.batchesA().at(0),
                  b,
                  product.batchesB().at(0),
                  sums,
                  part * size(),
                  Epilogue.NONE);
          tiles.byBlocks(
              new DepthwisePart(matrices, rows, 0, tiles.count(), b0, parts.end(part), false),
              ready);
        });
    Parallel.forRange(
        context,
        parts.count() * size() >= PART,
        product.rows(),
        ROWS_AT_ONCE,
        (i0, i1) -> {
          MatrixCopies.of(accumulatorType).scatterSums(sums, parts.count(), product, c, i0, i1);
          epilogue.run(i0, i1, 0, product.columns());
        });
    SharedWorkspace.release(accumulatorType, buffer);
  }

  @Override
  public String toString() {
    return "product by lanes " + describeProduct() + " in " + parts.count() + " parts, " + tiles;
  }
}
