package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A product by vector tiles. All threads together pack the right side once, into panels of the
 * width of a tile; blocks of rows of the left side are packed by the thread that multiplies them.
 */
final class TiledGemm {
  private static final int MAX_PACKED = 1 << 22;
  private static final int MAX_RESULT = 1 << 17;
  private static final int MIN_ROWS = 2 * MicroKernelSet.ROWS;
  private static final int ENOUGH_CHUNKS = 8;
  private static final int MANY_CHUNKS = 16;
  private static final double CHUNK = 1 << 20;
  private static final double ON_ONE_THREAD = 250_000;
  private static final double BATCH_ON_ONE_THREAD = 4_000_000;

  private final GemmProblem product;
  private final MicroKernelSet tiles;
  private final KBlocks steps;
  private final MacroKernel sweep;
  private final @Nullable FewRowsGemm thin;
  private final @Nullable PackedLhsGemm wide;

  TiledGemm(
      AccumulatorType carrier,
      GemmProblem product,
      KBlocks steps,
      boolean inPlace,
      @Nullable Widenings right) {
    this.product = product;
    this.tiles = new MicroKernelSet(carrier, product, inPlace);
    this.steps = steps;
    this.sweep = new MacroKernel(tiles, product, steps);
    this.thin =
        FewRowsGemm.fits(product, tiles) ? new FewRowsGemm(product, tiles, steps, right) : null;
    this.wide =
        PackedLhsGemm.fits(product, tiles) ? new PackedLhsGemm(product, tiles, steps, sweep) : null;
  }

  /**
   * {@return whether all tiles that the product needs are ready} Starts the warm-up of those that
   * are not.
   */
  boolean isReady() {
    return tiles.isReady() && (thin == null || thin.isReady());
  }

  boolean widensRight() {
    return thin != null && thin.widensRight();
  }

  void run(Object a, Object b, Object c, KernelContext context, Epilogue finish) {
    double each = product.work() / product.batches();
    if (product.batches() > 1 && each < BATCH_ON_ONE_THREAD) {
      int batchesAtOnce = (int) Math.ceil(ON_ONE_THREAD / each);
      int chunks = Math.ceilDiv(product.batches(), batchesAtOnce);
      ParallelChunks.run(
          context,
          chunks == 1,
          chunks,
          chunk -> {
            context.checkLimits();
            int end = Math.min(product.batches(), (chunk + 1) * batchesAtOnce);
            for (int batch = chunk * batchesAtOnce; batch < end; batch++) {
              run(GemmMatrices.of(product, a, b, c, finish, batch), context, true);
            }
          });
      return;
    }
    for (int batch = 0; batch < product.batches(); batch++) {
      run(GemmMatrices.of(product, a, b, c, finish, batch), context, each < ON_ONE_THREAD);
    }
  }

  /**
   * Computes one matrix, in parts of the right side that are as large as may be packed at a time.
   */
  private void run(GemmMatrices matrices, KernelContext context, boolean alone) {
    int first = 0;
    if (thin != null) {
      first = thin.run(matrices, context, alone);
    } else if (!alone && wide != null) {
      wide.run(matrices, context);
      return;
    }
    int blocks = blocksAtOnce();
    int width = tiles.form().width();
    int columns = MAX_PACKED / Math.max(1, blocks * steps.most()) / width * width;
    for (int j = first; j < product.columns(); j += columns) {
      int end = Math.min(product.columns(), j + columns);
      for (int block = 0; block < steps.count(); block += blocks) {
        part(matrices, context, alone, j, end, block, Math.min(steps.count(), block + blocks));
      }
    }
  }

  private int blocksAtOnce() {
    if (tiles.isInPlace()) {
      return PackedLhs.blocksInPlace(steps);
    }
    int room =
        PackedLhs.SIZE / PackedLhs.size(tiles, Math.min(product.rows(), FewRowsGemm.MAX_ROWS), 1);
    return thin != null ? room : PackedLhs.blocks(tiles.form());
  }

  private void part(
      GemmMatrices matrices, KernelContext context, boolean alone, int j0, int j1, int b0, int b1) {
    int k0 = steps.start(b0);
    int k1 = steps.end(b1 - 1);
    AlignedBuffer area = area(alone, (k1 - k0) * tiles.padded(j1 - j0));
    PackedRhs panels = new PackedRhs(tiles, product, matrices, area, j0, j1, k0, k1);
    ParallelChunks.run(context, alone, panels.chunks(), panels::pack);
    multiply(matrices, panels, context, alone, b0, b1);
    if (!alone) {
      SharedWorkspace.giveBack(tiles.form().carrier(), area);
    }
  }

  private AlignedBuffer area(boolean alone, int size) {
    AccumulatorType carrier = tiles.form().carrier();
    AlignedBuffer area =
        alone ? ThreadWorkspace.of(carrier).area(size) : SharedWorkspace.borrow(carrier, size);
    area.adjust(tiles.form(), tiles.copier());
    return area;
  }

  private void multiply(
      GemmMatrices matrices,
      PackedRhs panels,
      KernelContext context,
      boolean alone,
      int b0,
      int b1) {
    RowPieces rows = rows(b1 - b0, panels.count());
    int columnChunks = Math.min(panels.count(), columnChunks(rows, panels));
    ParallelChunks.run(
        context,
        alone,
        rows.count() * columnChunks,
        chunk -> {
          context.checkLimits();
          int i = chunk % rows.count();
          int p = chunk / rows.count();
          int p0 = panels.count() * p / columnChunks;
          int p1 = panels.count() * (p + 1) / columnChunks;
          sweep.run(matrices, panels, rows.start(i), rows.end(i), p0, p1, b0, b1);
          if (b1 == steps.count()) {
            int j1 = panels.column(p1 - 1) + panels.columns(p1 - 1);
            matrices.finish(product, rows.start(i), rows.end(i), panels.column(p0), j1);
          }
        });
  }

  private RowPieces rows(int blocks, int panels) {
    int most = PackedLhs.rows(tiles, blocks);
    int run = product.rowsA().stridedRunLength();
    int each = Math.ceilDiv(product.rows(), Math.ceilDiv(enoughChunks(), panels));
    if (tiles.isInPlace() && run != product.rows()) {
      return RowPieces.even(product.rows(), run, Math.min(each, most));
    }
    return RowPieces.even(product.rows(), MicroKernelSet.ROWS, Math.clamp(each, MIN_ROWS, most));
  }

  /**
   * {@return the number of chunks to aim for} If rows are not packed for each chunk, there are
   * many, so that threads finish together.
   */
  private int enoughChunks() {
    long chunks = (long) (product.work() / product.batches() / CHUNK);
    return tiles.isInPlace() ? Math.clamp(chunks, ENOUGH_CHUNKS, MANY_CHUNKS) : ENOUGH_CHUNKS;
  }

  private int columnChunks(RowPieces rows, PackedRhs panels) {
    int enough = Math.ceilDiv(enoughChunks(), rows.count());
    double result = (double) rows.most() * panels.count() * tiles.form().width();
    return sweep.storesDirectly() ? enough : Math.max(enough, (int) Math.ceil(result / MAX_RESULT));
  }

  @Override
  public String toString() {
    return tiles.toString();
  }
}
