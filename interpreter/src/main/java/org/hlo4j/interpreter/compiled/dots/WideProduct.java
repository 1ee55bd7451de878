package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * A product of not so many rows: the whole left side is packed once, by all threads; panels of the
 * right one by the thread that multiplies them, so that they never leave its cache.
 */
final class WideProduct {
  private static final int MOST_ROWS = 256;
  private static final int MOST_SIDE_BY_SIDE = 96;
  private static final int LEAST_PANELS = 4;
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
    int most = tiles.isLeftByRows() ? MOST_ROWS : MOST_SIDE_BY_SIDE;
    return !tiles.isInPlace()
        && product.rows() <= most
        && product.columns() >= LEAST_PANELS * tiles.form().width();
  }

  void run(Matrices matrices, KernelContext context) {
    int blocks = LeftBlock.blocks(tiles.form());
    for (int block = 0; block < steps.count(); block += blocks) {
      run(matrices, context, block, Math.min(steps.count(), block + blocks));
    }
  }

  private void run(Matrices matrices, KernelContext context, int b0, int b1) {
    Carrier carrier = tiles.form().carrier();
    int rows = product.rows();
    int size = LeftBlock.size(tiles, rows, b1 - b0);
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
    Chunks.run(
        context,
        false,
        Math.ceilDiv(product.columns(), tiles.form().width()),
        panel -> {
          context.checkLimits();
          multiply(matrices, left, panel, b0, b1);
        });
    Scratch.giveBack(carrier, area);
  }

  private void multiply(Matrices matrices, LeftBlock left, int panel, int b0, int b1) {
    int j0 = panel * tiles.form().width();
    int j1 = Math.min(product.columns(), j0 + tiles.form().width());
    int k0 = steps.start(b0);
    int k1 = steps.end(b1 - 1);
    Area area = Workspace.of(tiles.form().carrier()).area((k1 - k0) * tiles.padded(j1 - j0));
    area.adjust(tiles.form(), tiles.copier());
    Panels panels = new Panels(tiles, product, matrices, area, j0, j1, k0, k1);
    for (int chunk = 0; chunk < panels.chunks(); chunk++) {
      panels.pack(chunk);
    }
    sweep.run(matrices, left, panels, 0, product.rows(), 0, 1, b0, b1);
    if (b1 == steps.count()) {
      matrices.finish(product, 0, product.rows(), j0, j1);
    }
  }
}
