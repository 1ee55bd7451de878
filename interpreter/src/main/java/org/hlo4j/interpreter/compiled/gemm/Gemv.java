package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import org.hlo4j.interpreter.compiled.arrays.ArrayKernel;
import org.hlo4j.interpreter.compiled.arrays.BoundKernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.WorkCounter;
import org.jspecify.annotations.Nullable;

/**
 * A matrix-vector product, with one vector or a few, where the rows of the matrix are contiguous
 * along the contracting dimension. Nothing is packed but the columns, so that it runs at the speed
 * of memory. Each sum is accumulated in {@link #LANES} partial sums: number l adds, in order, the
 * products l, l + LANES, l + 2 * LANES and so on. A horizontal sum adds them by halving; the
 * products that are left over are added last.
 */
final class Gemv implements GemmAlgorithm, ArrayKernel {
  /** The number of partial sums of an element. It does not depend on the width of vectors. */
  static final int LANES = 32;

  private static final int ROWS_OF_CHUNK = 64;

  /**
   * The maximum number of rows of a chunk. It has more than {@link #ROWS_OF_CHUNK} if they are
   * short, up to this number and to {@link #ELEMENTS_OF_CHUNK} elements.
   */
  private static final int MAX_ROWS_OF_CHUNK = 4 * ROWS_OF_CHUNK;

  private static final int ELEMENTS_OF_CHUNK = 32 * 1024;

  /**
   * The number of horizontal sums to compute together. The rows that this takes are rounded down to
   * a multiple of {@link #MIN_ROWS}.
   */
  private static final int MIN_SUMS = 64;

  private static final int MIN_ROWS = 16;

  /** Padding of widened rows, which keeps them out of the same cache sets. */
  private static final int PADDING = 16;

  private final String description;
  private final AccumulatorType accumulatorType;
  private final GemmProblem product;
  private final boolean isSwapped;
  private final boolean isParallel;
  private final GemmArithmetic arithmetic;
  private final @Nullable Widenings widenings;
  private final GemvColumns columns;
  private final KBlocks kBlocks;
  private final int rowsAtOnce;
  private final @Nullable MicroKernelShape shape;
  private final int maxRows;
  private final @Nullable MicroKernel[][] microKernels;
  private final RowSumsShape sumsShape;
  private final Object order;

  /** Computes short rows as a whole, or the horizontal sums of others. */
  private @Nullable RowSums sumsOfRows;

  /** Whether the horizontal sums are the result itself, stored contiguously. */
  private final boolean storesSumsDirectly;

  Gemv(GemmConfig config, GemmPlan plan) {
    this.description = plan.describe(config);
    this.accumulatorType = config.accumulatorType();
    this.isSwapped = plan.isSwapped();
    this.product = isSwapped ? config.product().transposed() : config.product();
    this.isParallel = plan.split() == GemmPlan.Split.ROWS;
    this.widenings = isSwapped ? config.right() : config.left();
    this.arithmetic = GemmArithmetic.of(accumulatorType);
    this.columns = new GemvColumns(product, LANES);
    this.kBlocks = plan.kBlocks();
    int rows = MIN_SUMS / product.columns() / MIN_ROWS * MIN_ROWS;
    this.rowsAtOnce = widenings == null ? Math.max(MIN_ROWS, rows) : MIN_ROWS;
    this.shape = plan.hasTiles() ? shape(plan.tile()) : null;
    this.maxRows = Math.max(1, plan.tile().rows());
    this.microKernels = new @Nullable MicroKernel[maxRows + 1][columns.groupSize() + 1];
    boolean areShort = plan.along() == GemmPlan.Along.STEPS_OF_SHORT_ROWS;
    this.sumsShape = new RowSumsShape(accumulatorType, Math.max(1, plan.tile().lanes()), areShort);
    this.order = sumsShape.order();
    this.storesSumsDirectly =
        product.columns() == 1 && product.k() % LANES == 0 && product.rowsC().isContiguous();
  }

  private MicroKernelShape shape(GemmPlan.Tile tile) {
    return new MicroKernelShape(
        accumulatorType,
        tile.lanes(),
        tile.rows(),
        tile.vectors(),
        LANES,
        true,
        true,
        columns.groupSize());
  }

  @Override
  public BoundKernel bind(Object[] operands, Object[] results, KernelContext context) {
    return () -> run(operands[0], operands[1], results[0], context, Epilogue.NONE);
  }

  @Override
  public void prepare() {
    isReady();
    MicroKernels.await();
  }

  @Override
  public boolean isReady() {
    return isReady(MicroKernels.ENOUGH);
  }

  private boolean isReady(double work) {
    if (shape == null) {
      return false;
    }
    if (sumsOfRows == null) {
      sumsOfRows =
          MicroKernels.getIfReady(sumsShape, sumsShape.hasColumn() ? MicroKernels.ENOUGH : work);
    }
    boolean areTilesReady =
        MicroKernels.fill(
            microKernels,
            new int[] {Math.min(shape.rows(), product.rows()), product.rows() % shape.rows()},
            new int[] {columns.groupSize(), columns.columnCount(columns.groupCount() - 1)},
            shape::withRowsAndColumns,
            work);
    return areTilesReady && (sumsOfRows != null || !sumsShape.hasColumn());
  }

  @Override
  public void warmUp() {
    isReady(product.work());
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    boolean ready = isReady(product.work());
    Object left = isSwapped ? b : a;
    Object right = isSwapped ? a : b;
    if (columns.isInPlace()) {
      multiply(left, right, right, c, context, ready);
      return;
    }
    AlignedBuffer buffer = SharedWorkspace.borrow(accumulatorType, columns.size());
    columns.pack(MatrixCopies.of(accumulatorType), right, buffer.array(), context);
    multiply(left, right, buffer.array(), c, context, ready);
    SharedWorkspace.release(accumulatorType, buffer);
  }

  @Override
  public boolean widensLeft() {
    return !isSwapped && widenings != null;
  }

  @Override
  public boolean widensRight() {
    return isSwapped && widenings != null;
  }

  private void multiply(
      Object left, Object right, Object packed, Object c, KernelContext context, boolean ready) {
    long elements = Math.max(1, (long) product.k() * product.columns());
    int rowsOfChunk =
        Math.clamp(ELEMENTS_OF_CHUNK / elements, ROWS_OF_CHUNK, MAX_ROWS_OF_CHUNK)
            / ROWS_OF_CHUNK
            * ROWS_OF_CHUNK;
    int pieces = Math.ceilDiv(product.rows(), rowsOfChunk);
    Parallel.forChunks(
        context,
        isParallel,
        product.batches() * pieces,
        chunk -> {
          int i0 = chunk % pieces * rowsOfChunk;
          int i1 = Math.min(product.rows(), i0 + rowsOfChunk);
          int batch = chunk / pieces;
          GemmMatrices matrices = GemmMatrices.of(product, left, right, c, Epilogue.NONE, batch);
          int first =
              i0 + computeShortRows(matrices, packed, columns.position(batch, 0, 0), i0, i1);
          for (int i = first; i < i1; i += rowsAtOnce) {
            new RowBlock(matrices, packed, batch, i, Math.min(i1, i + rowsAtOnce), ready).run();
          }
        });
  }

  /**
   * Computes short rows, which never leave the registers, if the code is ready. Returns their
   * number: all but fewer than a vector has lanes, or none.
   */
  private int computeShortRows(
      GemmMatrices matrices, Object column, int columnStart, int i0, int i1) {
    RowSums ofRows = sumsShape.hasColumn() ? sumsOfRows : null;
    if (ofRows == null) {
      return 0;
    }
    int groups = (i1 - i0) / sumsShape.lanes();
    ofRows.run(
        matrices.a(),
        matrices.aBase() + product.rowsA().at(i0),
        product.rowsA().stride(),
        column,
        columnStart,
        product.k() / LANES,
        matrices.c(),
        matrices.cBase() + product.rowsC().at(i0),
        groups,
        order);
    return groups * sumsShape.lanes();
  }

  /** The computation of some rows of the result. */
  private final class RowBlock {
    private final GemmMatrices matrices;
    private final Object packed;
    private final int batch;
    private final int i0;
    private final int i1;
    private final boolean ready;
    private final int count;
    private final Object sums;
    private Object left;
    private int leftStart;
    private int leftStride;

    RowBlock(GemmMatrices matrices, Object packed, int batch, int i0, int i1, boolean ready) {
      this.matrices = matrices;
      this.packed = packed;
      this.batch = batch;
      this.i0 = i0;
      this.i1 = i1;
      this.ready = ready;
      this.count = (i1 - i0) * product.columns();
      this.sums = ThreadWorkspace.of(accumulatorType).result(count * (LANES + 1));
      this.left = matrices.a();
    }

    void run() {
      WorkCounter work = new WorkCounter();
      for (int block = 0; block < kBlocks.count(); block++) {
        int k0 = kBlocks.start(block);
        int k1 = kBlocks.end(block);
        work.add((long) (k1 - k0) * count);
        loadRows(k0 * LANES, k1 * LANES);
        runTiles(k0, k1);
      }
      if (storesSumsDirectly) {
        int to = matrices.cBase() + product.rowsC().at(i0);
        computeHorizontalSums(matrices.c(), to);
        return;
      }
      computeHorizontalSums(sums, count * LANES);
      loadRows(product.k() / LANES * LANES, product.k());
      storeTiles();
    }

    /**
     * Makes steps of the rows available to the tiles: in place, or widened into the workspace. They
     * need no widening if another part of the same product had the operand widened already.
     */
    private void loadRows(int k0, int k1) {
      int rowStride = product.rowsA().stride();
      int start = matrices.aBase() + product.rowsA().at(i0) + k0;
      if (widenings == null || matrices.a() instanceof float[]) {
        leftStart = start;
        leftStride = rowStride;
        return;
      }
      leftStride = k1 - k0 + PADDING;
      left = ThreadWorkspace.of(accumulatorType).buffer((i1 - i0) * leftStride).array();
      widenings.run(matrices.a(), start, rowStride, i1 - i0, k1 - k0, left, 0, leftStride);
    }

    /** Computes some steps of all tiles, one after another in {@code sums}. */
    private void runTiles(int k0, int k1) {
      int to = 0;
      for (int group = 0; group < columns.groupCount(); group++) {
        int columnCount = columns.columnCount(group);
        int right = columns.position(batch, group, k0);
        for (int i = i0; i < i1; i += maxRows) {
          int rows = Math.min(maxRows, i1 - i);
          int start = leftStart + (i - i0) * leftStride;
          if (ready) {
            Objects.requireNonNull(microKernels[rows][columnCount])
                .run(
                    left,
                    start,
                    leftStride,
                    LANES,
                    packed,
                    right,
                    columnCount * LANES,
                    sums,
                    to,
                    LANES,
                    k1 - k0,
                    k0 > 0);
          } else {
            runPlain(rows, columnCount, start, right, to, k1 - k0, k0 > 0);
          }
          to += rows * columnCount * LANES;
        }
      }
    }

    private void runPlain(
        int rows, int columnCount, int start, int right, int to, int steps, boolean add) {
      for (int sum = 0; sum < rows * columnCount; sum++) {
        GemmMatrices parts =
            new GemmMatrices(
                left,
                start + sum / columnCount * leftStride,
                packed,
                right + sum % columnCount * LANES,
                sums,
                to + sum * LANES,
                Epilogue.NONE);
        arithmetic.laneSums(parts, LANES, columnCount * LANES, steps, add);
      }
    }

    private void storeTiles() {
      int number = count * LANES;
      for (int group = 0; group < columns.groupCount(); group++) {
        for (int i = i0; i < i1; i += maxRows) {
          int rows = Math.min(maxRows, i1 - i);
          store(i, rows, group, number);
          number += rows * columns.columnCount(group);
        }
      }
    }

    /** Stores the horizontal sums of all tiles one after another. */
    private void computeHorizontalSums(Object to, int start) {
      RowSums vectors = sumsShape.hasColumn() ? null : sumsOfRows;
      int done = 0;
      if (vectors != null) {
        done = count / sumsShape.lanes() * sumsShape.lanes();
        int groups = count / sumsShape.lanes();
        vectors.run(sums, 0, LANES, sums, 0, 0, to, start, groups, order);
      }
      arithmetic.horizontalSums(sums, done * LANES, LANES, count - done, to, start + done);
    }

    /** Adds the products that are left over to the sums of a tile and stores them in the result. */
    private void store(int i, int rows, int group, int number) {
      int j = group * columns.groupSize();
      int j1 = j + columns.columnCount(group);
      MatrixPart part = new MatrixPart(product.rowsC(), i, i + rows, product.columnsC(), j, j1);
      int from = product.k() / LANES * LANES;
      int start = leftStart + (i - i0) * leftStride;
      int strideB = product.stepsB().stride();
      int right = matrices.bBase() + from * strideB;
      GemmMatrices remainder =
          new GemmMatrices(
              left, start, matrices.b(), right, matrices.c(), matrices.cBase(), Epilogue.NONE);
      DimensionOffsets columnsB = product.columnsB();
      int remainderCount = product.k() - from;
      arithmetic.addRemainder(
          remainder, leftStride, columnsB, strideB, remainderCount, part, sums, number);
    }
  }

  @Override
  public boolean hasContiguousRows() {
    return false;
  }

  @Override
  public int columns() {
    return product.columns();
  }

  @Override
  public String toString() {
    return description;
  }
}
