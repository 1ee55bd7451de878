package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A product with a moderate number of rows. All threads together pack the whole left side once,
 * unless it is read in place. Panels of the right side are packed by the thread that multiplies
 * them, so that they never leave its cache.
 */
final class PackedLhsGemm {
  private static final int MAX_ROWS = 256;
  private static final int MAX_SIDE_BY_SIDE = 96;
  private static final int MAX_PACKED_BYTES = 600_000;
  private static final int MIN_PANELS = 4;
  private static final int ROWS_AT_ONCE = 32;

  private final GemmProblem product;
  private final MicroKernelSet tiles;
  private final KBlocks steps;
  private final MacroKernel sweep;

  PackedLhsGemm(GemmProblem product, MicroKernelSet tiles, KBlocks steps, MacroKernel sweep) {
    this.product = product;
    this.tiles = tiles;
    this.steps = steps;
    this.sweep = sweep;
  }

  static boolean fits(GemmProblem product, MicroKernelSet tiles) {
    int most = tiles.isLeftByRows() ? MAX_ROWS : MAX_SIDE_BY_SIDE;
    return product.rows() <= most && product.columns() >= MIN_PANELS * tiles.form().width();
  }

  /** {@return the number of blocks of steps for which the packed left side fits the cache} */
  private int blocksAtOnce() {
    if (tiles.isInPlace()) {
      return PackedLhs.blocksInPlace(steps);
    }
    int room = MAX_PACKED_BYTES * Byte.SIZE / tiles.form().carrier().bits();
    return Math.max(
        PackedLhs.blocks(tiles.form()), room / PackedLhs.size(tiles, product.rows(), 1));
  }

  void run(GemmMatrices matrices, KernelContext context) {
    int blocks = blocksAtOnce();
    for (int block = 0; block < steps.count(); block += blocks) {
      run(matrices, context, block, Math.min(steps.count(), block + blocks));
    }
  }

  private void run(GemmMatrices matrices, KernelContext context, int b0, int b1) {
    AccumulatorType carrier = tiles.form().carrier();
    int rows = product.rows();
    int size = PackedLhs.size(tiles, rows, b1 - b0);
    if (tiles.isInPlace()) {
      PackedLhs left = new PackedLhs(tiles, product, matrices, matrices.a(), 0, rows);
      multiply(matrices, left, context, b0, b1);
      return;
    }
    AlignedBuffer area = SharedWorkspace.borrow(carrier, size);
    PackedLhs left = new PackedLhs(tiles, product, matrices, area.array(), 0, rows);
    int pieces = Math.ceilDiv(rows, ROWS_AT_ONCE);
    ParallelChunks.run(
        context,
        false,
        pieces * (b1 - b0),
        chunk -> {
          int block = chunk / pieces;
          int i = chunk % pieces * ROWS_AT_ONCE;
          int k0 = steps.start(b0 + block);
          left.pack(block, k0, steps.end(b0 + block), i, Math.min(rows, i + ROWS_AT_ONCE));
        });
    multiply(matrices, left, context, b0, b1);
    SharedWorkspace.giveBack(carrier, area);
  }

  private void multiply(
      GemmMatrices matrices, PackedLhs left, KernelContext context, int b0, int b1) {
    int width = tiles.form().width();
    ParallelChunks.run(
        context,
        false,
        Math.ceilDiv(product.columns(), width),
        chunk -> {
          context.checkLimits();
          int j0 = chunk * width;
          multiply(matrices, left, j0, Math.min(product.columns(), j0 + width), b0, b1);
        });
  }

  private void multiply(GemmMatrices matrices, PackedLhs left, int j0, int j1, int b0, int b1) {
    int k0 = steps.start(b0);
    int k1 = steps.end(b1 - 1);
    AlignedBuffer area =
        ThreadWorkspace.of(tiles.form().carrier()).area((k1 - k0) * tiles.padded(j1 - j0));
    area.adjust(tiles.form(), tiles.copier());
    PackedRhs panels = new PackedRhs(tiles, product, matrices, area, j0, j1, k0, k1);
    for (int chunk = 0; chunk < panels.chunks(); chunk++) {
      panels.pack(chunk);
    }
    sweep.run(matrices, left, panels, 0, product.rows(), 0, panels.count(), b0, b1);
    if (b1 == steps.count()) {
      matrices.finish(product, 0, product.rows(), j0, j1);
    }
  }
}
