package org.hlo4j.interpreter.compiled.dots;

import java.util.Objects;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A product of few rows: whole panels of the right side are read where they lie, once. Blocks of
 * steps are short, so that not many parts of memory are read at a time, but there are not more of
 * them than of {@link Blocks#MOST} steps in one.
 */
final class ThinProduct {
  private static final int PANELS_AT_ONCE = 8;
  private static final int LEAST_COLUMNS = 64;

  /** How many rows it has at most. */
  static final int MOST_ROWS = 6;

  private final Product product;
  private final TileSet tiles;
  private final Blocks steps;
  private final TileForm form;
  private @Nullable Tile tile;

  ThinProduct(Product product, TileSet tiles, Blocks steps) {
    this.product = product;
    this.tiles = tiles;
    this.steps = steps;
    this.form = tiles.form().part(product.rows(), tiles.form().vectors()).unpacked();
  }

  static boolean fits(Product product, TileSet tiles) {
    return !tiles.isInPlace() && product.columns() >= tiles.form().width() && fits(product);
  }

  /** Whether it is one if the tiles are narrow enough. */
  static boolean fits(Product product) {
    return product.columnsB().isContiguous()
        && product.stepsB().isEven()
        && product.columnsC().isContiguous()
        && product.rowsC().isEven()
        && product.rows() <= MOST_ROWS
        && product.columns() >= LEAST_COLUMNS
        && (product.rows() == 1 || product.rowsC().stride() == product.stepsB().stride());
  }

  boolean isReady() {
    tile = Tiles.ready(form);
    return tile != null;
  }

  /** Computes the columns of whole panels; gives how many. */
  int run(Matrices matrices, KernelContext context, boolean alone) {
    int panels = product.columns() / form.width();
    Chunks.run(
        context,
        alone,
        Math.ceilDiv(panels, PANELS_AT_ONCE),
        chunk -> {
          context.checkLimits();
          int end = Math.min(panels, (chunk + 1) * PANELS_AT_ONCE);
          run(matrices, chunk * PANELS_AT_ONCE, end);
          int from = chunk * PANELS_AT_ONCE * form.width();
          matrices.finish(product, 0, product.rows(), from, end * form.width());
        });
    return panels * form.width();
  }

  private void run(Matrices matrices, int panel0, int panel1) {
    Workspace own = Workspace.of(form.carrier());
    LeftBlock left = new LeftBlock(tiles, product, matrices, own.left(), 0, product.rows());
    int apart = product.stepsB().stride();
    for (int block = 0; block < steps.count(); block++) {
      int k = steps.start(block);
      left.pack(0, k, steps.end(block));
      for (int panel = panel0; panel < panel1; panel++) {
        int j = panel * form.width();
        Objects.requireNonNull(tile)
            .run(
                left.array(),
                left.place(0, 0, k),
                left.stride(),
                matrices.b(),
                matrices.bBase() + k * apart + j,
                matrices.c(),
                matrices.cBase() + j,
                apart,
                steps.end(block) - k,
                block > 0);
      }
    }
  }
}
