package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Packing;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Split;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * The loops of a product by vector tiles: some columns of one matrix, for some blocks of steps. All
 * threads together pack one side, unless it is read in place or is packed already. The other one is
 * packed by the thread that multiplies it: blocks of rows of the left side, or panels of the right
 * side, so that they never leave its cache.
 *
 * @param tiles the tiles
 * @param matrices the arrays of the product
 * @param context the context of the run
 * @param j0 the first column
 * @param j1 the end of the columns, exclusive
 * @param b0 the first block
 * @param b1 the end of the blocks, exclusive
 */
record TiledGemm(
    MicroKernelSet tiles,
    GemmMatrices matrices,
    KernelContext context,
    int j0,
    int j1,
    int b0,
    int b1) {
  private static final int MAX_PACKED = 1 << 22;
  private static final int MAX_LEFT_BYTES = 600_000;
  private static final int MAX_RESULT = 1 << 17;
  private static final int MIN_ROWS = 2 * MicroKernelSet.ROWS;

  /** The number of chunks to aim for, so that threads finish together. */
  private static final int ENOUGH_CHUNKS = 8;

  /** The number if rows of the left side are not packed for each chunk. */
  private static final int ENOUGH_CHUNKS_IN_PLACE = 16;

  /** The maximum number of panels that a thread packs together, which stay in its cache. */
  private static final int MAX_PANELS = 4;

  /** The maximum number of panels that few rows read together, so that runs are long. */
  private static final int MAX_PANELS_IN_PLACE = 16;

  /**
   * Computes one matrix, in parts of both sides that are as large as may be packed at a time. All
   * tiles have to be ready.
   */
  static void run(
      MicroKernelSet tiles,
      @Nullable FixedRhs fixedRhs,
      GemmMatrices matrices,
      KernelContext context) {
    GemmProblem product = tiles.product;
    KBlocks kBlocks = tiles.plan.kBlocks();
    TiledGemm all =
        new TiledGemm(tiles, matrices, context, 0, product.columns(), 0, kBlocks.count());
    if (tiles.isInPlace && tiles.plan.right() == Packing.IN_PLACE && !all.isShared()) {
      all.multiplyChunk(null, null, 0, product.rows(), 0, product.columns());
      return;
    }
    @Nullable Panels fixed = fixedRhs == null ? null : fixedRhs.panels(tiles, matrices, context);
    int blocks = blocksAtOnce(tiles);
    int width = tiles.shape.width();
    int columns =
        tiles.plan.loopsOverColumnsFirst() || fixed != null
            ? product.columns()
            : MAX_PACKED / Math.max(1, blocks * kBlocks.maxLength()) / width * width;
    for (int j = 0; j < product.columns(); j += columns) {
      int end = Math.min(product.columns(), j + columns);
      for (int block = 0; block < kBlocks.count(); block += blocks) {
        int last = Math.min(kBlocks.count(), block + blocks);
        new TiledGemm(tiles, matrices, context, j, end, block, last).run(fixed);
      }
    }
  }

  /** {@return the number of blocks of steps for which the left side fits the cache} */
  private static int blocksAtOnce(MicroKernelSet tiles) {
    int room = MAX_LEFT_BYTES * Byte.SIZE / tiles.shape.accumulatorType().bits();
    int fit = room / PackedLhs.size(tiles, tiles.product.rows(), KBlocks.MAX);
    boolean isLong = tiles.plan.split() == Split.COLUMNS && tiles.shape.rowStride() == 0;
    return Math.max(PackedLhs.blocks(tiles.plan.kBlocks()), isLong ? fit : 0);
  }

  /** Packs the side that is used by all chunks, and multiplies with it. */
  private void run(@Nullable Panels fixed) {
    AccumulatorType type = tiles.shape.accumulatorType();
    int rows = tiles.product.rows();
    int size = Panels.size(tiles, j1 - j0, steps(b0, b1));
    if (tiles.plan.left() == Packing.SHARED) {
      int leftSize = PackedLhs.size(tiles, rows, steps(b0, b1));
      SharedWorkspace.use(
          context, type, leftSize, buffer -> multiply(packed(buffer, 0, rows), fixed));
    } else if (fixed != null || tiles.plan.loopsOverColumnsFirst()) {
      multiply(null, fixed);
    } else if (tiles.plan.right() == Packing.SHARED) {
      SharedWorkspace.use(
          context, type, size, buffer -> multiply(null, packed(buffer, j0, j1, b0, b1, true)));
    } else {
      multiply(null, packed(tiles.workspace().buffer(size), j0, j1, b0, b1, false));
    }
  }

  private int steps(int first, int last) {
    return tiles.plan.kBlocks().end(last - 1) - tiles.plan.kBlocks().start(first);
  }

  private PackedLhs packed(@Nullable AlignedBuffer shared, int i0, int i1) {
    if (tiles.isInPlace) {
      return PackedLhs.inPlace(tiles.product, matrices);
    }
    KBlocks kBlocks = tiles.plan.kBlocks();
    Object array = shared == null ? tiles.workspace().left : shared.array();
    PackedLhs left = PackedLhs.of(tiles, array, i0, i1, kBlocks.start(b0), kBlocks.end(b1 - 1));
    left.pack(tiles, matrices, context, shared != null);
    return left;
  }

  private Panels packed(
      AlignedBuffer buffer, int from, int to, int first, int last, boolean isParallel) {
    if (tiles.shape.isPacked()) {
      buffer.realign(tiles);
    }
    KBlocks kBlocks = tiles.plan.kBlocks();
    Panels panels = Panels.of(tiles, buffer, from, to, kBlocks.start(first), kBlocks.end(last - 1));
    panels.pack(matrices, context, isParallel);
    return panels;
  }

  /** Multiplies in chunks of rows and columns. */
  private void multiply(@Nullable PackedLhs left, @Nullable Panels right) {
    RowBlocks rows = rows();
    RowBlocks columns = columns(rows);
    new Parallel(context, isShared(), rows.count() * columns.count())
        .forEach(chunk ->
            multiplyChunk(
                left,
                right,
                rows.start(chunk % rows.count()),
                rows.end(chunk % rows.count()),
                j0 + columns.start(chunk / rows.count()),
                j0 + columns.end(chunk / rows.count())));
  }

  /** Multiplies some rows and columns. Packs the rows of the left side if they are not given. */
  private void multiplyChunk(
      @Nullable PackedLhs left, @Nullable Panels right, int i0, int i1, int from, int to) {
    PackedLhs rows = left == null ? packed(null, i0, i1) : left;
    multiply(rows, right, i0, i1, from, to);
    if (b1 == tiles.plan.kBlocks().count()) {
      matrices.runEpilogue(tiles.product, i0, i1, from, to);
    }
  }

  /** Multiplies rows i0 to i1 with columns from j to end. Packs panels if none are given. */
  private void multiply(PackedLhs left, @Nullable Panels right, int i0, int i1, int j, int end) {
    boolean isInPlace = right == null && tiles.readsRightInPlace(matrices);
    int blocks = tiles.plan.right() == Packing.IN_PLACE ? 1 : b1 - b0;
    for (int block = b0; block < b1; block += blocks) {
      int last = block + blocks;
      Panels panels = isInPlace ? Panels.inPlace(tiles, matrices, end) : right;
      if (panels == null) {
        int size = Panels.size(tiles, end - j, steps(block, last));
        panels = packed(tiles.workspace().buffer(size), j, end, block, last, false);
      }
      new MacroKernel(tiles, matrices, left, panels, block, last).run(i0, i1, j, end);
    }
  }

  /** {@return the blocks of rows: all at once by panels, otherwise as many as fit the cache} */
  private RowBlocks rows() {
    int count = tiles.product.rows();
    int panels = Math.ceilDiv(j1 - j0, tiles.shape.width());
    int unit = tiles.rowRun() == count ? tiles.shape.rows() : tiles.rowRun();
    int each = Math.ceilDiv(count, Math.ceilDiv(enoughChunks(), panels));
    int maxRows = Math.min(each, PackedLhs.rows(tiles, b1 - b0));
    return tiles.plan.loopsOverColumnsFirst()
        ? new RowBlocks(count, count, 1)
        : RowBlocks.balanced(count, unit, Math.max(MIN_ROWS, maxRows));
  }

  /** {@return whether threads share the chunks} */
  private boolean isShared() {
    return tiles.plan.split() == Split.ROWS || tiles.plan.split() == Split.COLUMNS;
  }

  private int enoughChunks() {
    return isShared() ? tiles.isInPlace ? ENOUGH_CHUNKS_IN_PLACE : ENOUGH_CHUNKS : 1;
  }

  /** {@return the blocks of columns that a thread multiplies with a block of rows at a time} */
  private RowBlocks columns(RowBlocks rows) {
    int width = tiles.shape.width();
    int panels = Math.ceilDiv(j1 - j0, width);
    int maxPanels =
        tiles.plan.right() == Packing.IN_PLACE
            ? MAX_PANELS_IN_PLACE
            : tiles.plan.split() == Split.COLUMNS
                ? MAX_PANELS
                : MacroKernel.storesDirectly(tiles.product)
                    ? panels
                    : Math.max(1, MAX_RESULT / (rows.maxRows() * width));
    int enough = Math.ceilDiv(enoughChunks(), rows.count());
    int chunks = Math.max(Math.ceilDiv(panels, maxPanels), enough);
    return new RowBlocks(j1 - j0, width, Math.min(panels, chunks));
  }
}
