package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.WorkCounter;
import org.jspecify.annotations.Nullable;

/**
 * The tiles of a depthwise product, {@code c[i, j] = sum over k of a[i, k, j] * b[k, j]}, where
 * columns are contiguous in a and b. Micro-kernels compute it once they are ready; until then plain
 * loops do, in the same order of operations. If the last columns do not fill a vector, the last
 * vector begins further left, so that some columns are computed twice.
 */
public final class DepthwiseTiles {
  private static final int MAX_WINDOW = 7;

  private final AccumulatorType accumulatorType;
  private final GemmProblem product;
  private final KBlocks kBlocks;
  private final int[] stepsA;
  private final int[] stepsB;
  private final int runLength;

  /** The number of steps that the rows of a tile share elements for; 1 if they do not. */
  private final int window;

  /** The offsets in a of the first step of each window. */
  private final int[] windowsA;

  private final @Nullable MicroKernelShape shape;
  private final @Nullable MicroKernel[][] microKernels;

  /**
   * Creates the tiles of a product. Within each group of {@code run} rows that begins at a multiple
   * of {@code run}, the rows have a constant stride.
   */
  public DepthwiseTiles(AccumulatorType accumulatorType, GemmProblem product, int runLength) {
    this.accumulatorType = accumulatorType;
    this.product = product;
    DimensionOffsets stepsB = product.stepsB();
    this.kBlocks =
        KBlocks.of(
            product.k(), stepsB.hasConstantStride() ? product.k() : stepsB.stridedRunLength());
    this.stepsA = product.stepsA().toTable();
    this.stepsB = product.stepsB().toTable();
    this.runLength = runLength;
    this.window = window(product, runLength);
    this.windowsA = IntStream.range(0, product.k() / window).map(i -> stepsA[i * window]).toArray();
    this.shape = Machine.isVectorApiOn() ? shape(accumulatorType, product, window) : null;
    this.microKernels =
        new @Nullable MicroKernel[rows() + 1][shape == null ? 1 : shape.vectors() + 1];
  }

  /**
   * {@return the number of consecutive steps at the distance of rows, as in a row of the window of
   * a convolution without strides}
   */
  private int window(GemmProblem product, int runLength) {
    int run = product.stepsA().stridedRunLength();
    int stride = product.rowsA().stride();
    return run > 1
            && run <= MAX_WINDOW
            && runLength > 1
            && product.k() % run == 0
            && kBlocks.count() == 1
            && product.stepsB().hasConstantStride()
            && product.stepsB().stride() == stride
            && product.stepsA().stride() == stride
        ? run
        : 1;
  }

  /**
   * {@return the number of rows of a tile} A part begins at a multiple of it, or at that of a run.
   */
  public int rows() {
    return window > 1 ? 8 : 4;
  }

  private @Nullable MicroKernelShape shape(
      AccumulatorType accumulatorType, GemmProblem product, int window) {
    int lanes = Machine.vectorBits() / accumulatorType.bits();
    int vectors = Machine.registers() / 2 / rows();
    return product.columns() >= lanes && product.stepsB().stride() > 0
        ? new MicroKernelShape(
                accumulatorType,
                lanes,
                rows(),
                Math.min(vectors, product.columns() / lanes),
                0,
                false,
                true,
                1)
            .withWindow(window)
        : null;
  }

  /**
   * {@return the length of the runs that have a constant stride in both tables, where each run
   * begins at a multiple of that length}
   */
  public static int commonStridedRunLength(DimensionOffsets some, DimensionOffsets others) {
    int one = some.stridedRunLength();
    int other = others.stridedRunLength();
    return others.hasConstantStride() || other % one == 0 ? one : one % other == 0 ? other : 1;
  }

  /**
   * {@return whether all tiles are ready} Starts the warm-up of those that are not, once there has
   * been enough work for them.
   */
  public boolean isReady() {
    if (shape == null) {
      return false;
    }
    boolean all = true;
    for (int rows : new int[] {Math.min(runLength, rows()), runLength % rows()}) {
      for (int columns : new int[] {shape.width(), product.columns() - lastColumns(shape)}) {
        if (rows > 0 && columns > 0) {
          MicroKernel microKernel =
              MicroKernels.getIfReady(
                  shape.withRowsAndVectors(rows, columns / shape.lanes()), product.work());
          microKernels[rows][columns / shape.lanes()] = microKernel;
          all &= microKernel != null;
        }
      }
    }
    return all;
  }

  public KBlocks kBlocks() {
    return kBlocks;
  }

  private int fullTileColumns(MicroKernelShape shape) {
    return product.columns() / shape.width() * shape.width();
  }

  /**
   * {@return the first of the columns that remain beside full tiles, so that they fill a whole
   * number of vectors}
   */
  private int lastColumns(MicroKernelShape shape) {
    int left = product.columns() % shape.width();
    return product.columns() - Math.ceilDiv(left, shape.lanes()) * shape.lanes();
  }

  /**
   * Computes a part tile by tile, each with all of its blocks before the next tile. For a short
   * contracting dimension.
   */
  public void byRows(DepthwisePart part, boolean ready) {
    if (ready && shape != null) {
      columns(shape, part, 0, fullTileColumns(shape));
      columns(shape, part, lastColumns(shape), product.columns());
    } else {
      computeScalar(part);
    }
  }

  /**
   * Computes a part block by block, each for all rows and columns before the next block, so that a
   * block is read once. For a long contracting dimension.
   */
  public void byBlocks(DepthwisePart part, boolean ready) {
    if (!ready || shape == null) {
      computeScalar(part);
      return;
    }
    for (int block = part.b0(); block < part.b1(); block++) {
      columns(shape, part.block(block), 0, fullTileColumns(shape));
    }
    columns(shape, part, lastColumns(shape), product.columns());
  }

  private void columns(MicroKernelShape shape, DepthwisePart part, int j0, int j1) {
    GemmMatrices matrices = part.matrices();
    int steps = kBlocks.end(part.b1() - 1) - kBlocks.start(part.b0());
    WorkCounter work = new WorkCounter();
    for (int i = part.i0(), rows; i < part.i1(); i += rows) {
      rows = Math.min(Math.min(rows(), part.i1() - i), runLength - i % runLength);
      work.add((long) rows * (j1 - j0) / shape.lanes() * steps);
      for (int j = j0; j < j1; j += shape.width()) {
        int vectors = Math.min(shape.width(), j1 - j) / shape.lanes();
        MicroKernel microKernel = Objects.requireNonNull(microKernels[rows][vectors]);
        for (int block = part.b0(); block < part.b1(); block++) {
          int k = kBlocks.start(block);
          microKernel.run(
              matrices.a(),
              matrices.aBase() + product.rowsA().at(i) + j,
              product.rowsA().stride(),
              k / window,
              matrices.b(),
              matrices.bBase() + stepsB[k] + j,
              window * product.stepsB().stride(),
              matrices.c(),
              matrices.cBase() + part.rows().at(i) + j,
              part.rows().stride(),
              (kBlocks.end(block) - k) / window,
              block > part.firstBlock(),
              windowsA);
        }
      }
    }
  }

  private void computeScalar(DepthwisePart part) {
    GemmArithmetic arithmetic = GemmArithmetic.of(accumulatorType);
    GemmMatrices m = part.matrices();
    WorkCounter work = new WorkCounter();
    for (int block = part.b0(); block < part.b1(); block++) {
      int k0 = kBlocks.start(block);
      for (int i = part.i0(); i < part.i1(); i++) {
        work.add((long) (kBlocks.end(block) - k0) * product.columns());
        int left = m.aBase() + product.rowsA().at(i);
        int to = m.cBase() + part.rows().at(i);
        GemmMatrices row =
            new GemmMatrices(m.a(), left, m.b(), m.bBase(), m.c(), to, Epilogue.NONE);
        arithmetic.depthwise(this, row, k0, kBlocks.end(block), block > part.firstBlock());
      }
    }
  }

  int columns() {
    return product.columns();
  }

  int[] stepsA() {
    return stepsA;
  }

  int[] stepsB() {
    return stepsB;
  }

  @Override
  public String toString() {
    return shape == null ? "plain loops" : "tiles of " + rows() + "x" + shape.width();
  }
}
