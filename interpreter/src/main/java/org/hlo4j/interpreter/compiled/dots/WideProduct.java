package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A product of not so many rows: the whole left side is packed once, by all threads, if it is not
 * read where it lies; panels of the right one by the thread that multiplies them, so that they
 * never leave its cache.
 */
final class WideProduct {
  private static final int MAX_ROWS = 256;
  private static final int MAX_SIDE_BY_SIDE = 96;
  private static final int MAX_PACKED_BYTES = 600_000;
  private static final int MIN_PANELS = 4;
  private static final int ROWS_AT_ONCE = 32;

  private final Product product;
  private final TileSet tiles;
  private final Blocks steps;
  private final Sweep sweep;

  WideProduct(Product product, TileSet tiles, Blocks steps, Sweep sweep) {
    this.product = product;
    this.tiles = tiles;
    this.steps = steps;
    this.sweep = sweep;
  }

  static boolean fits(Product product, TileSet tiles) {
    int most = tiles.isLeftByRows() ? MAX_ROWS : MAX_SIDE_BY_SIDE;
    return product.rows() <= most && product.columns() >= MIN_PANELS * tiles.form().width();
  }

  /** As many blocks of steps as the packed left side has room for in the cache. */
  private int blocksAtOnce() {
    if (tiles.isInPlace()) {
      return LeftBlock.blocksInPlace(steps);
    }
    int room = MAX_PACKED_BYTES * Byte.SIZE / tiles.form().carrier().bits();
    return Math.max(
        LeftBlock.blocks(tiles.form()), room / LeftBlock.size(tiles, product.rows(), 1));
  }

  void run(Matrices matrices, KernelContext context) {
    int blocks = blocksAtOnce();
    for (int block = 0; block < steps.count(); block += blocks) {
      run(matrices, context, block, Math.min(steps.count(), block + blocks));
    }
  }

  private void run(Matrices matrices, KernelContext context, int b0, int b1) {
    Carrier carrier = tiles.form().carrier();
    int rows = product.rows();
    int size = LeftBlock.size(tiles, rows, b1 - b0);
    if (tiles.isInPlace()) {
      LeftBlock left = new LeftBlock(tiles, product, matrices, matrices.a(), 0, rows);
      multiply(matrices, left, context, b0, b1);
      return;
    }
    Area area = Scratch.borrow(carrier, size);
    LeftBlock left = new LeftBlock(tiles, product, matrices, area.array(), 0, rows);
    int pieces = Math.ceilDiv(rows, ROWS_AT_ONCE);
    Chunks.run(
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
    Scratch.giveBack(carrier, area);
  }

  private void multiply(Matrices matrices, LeftBlock left, KernelContext context, int b0, int b1) {
    int width = tiles.form().width();
    Chunks.run(
        context,
        false,
        Math.ceilDiv(product.columns(), width),
        chunk -> {
          context.checkLimits();
          int j0 = chunk * width;
          multiply(matrices, left, j0, Math.min(product.columns(), j0 + width), b0, b1);
        });
  }

  private void multiply(Matrices matrices, LeftBlock left, int j0, int j1, int b0, int b1) {
    int k0 = steps.start(b0);
    int k1 = steps.end(b1 - 1);
    Area area = Workspace.of(tiles.form().carrier()).area((k1 - k0) * tiles.padded(j1 - j0));
    area.adjust(tiles.form(), tiles.copier());
    Panels panels = new Panels(tiles, product, matrices, area, j0, j1, k0, k1);
    for (int chunk = 0; chunk < panels.chunks(); chunk++) {
      panels.pack(chunk);
    }
    sweep.run(matrices, left, panels, 0, product.rows(), 0, panels.count(), b0, b1);
    if (b1 == steps.count()) {
      matrices.finish(product, 0, product.rows(), j0, j1);
    }
  }
}
