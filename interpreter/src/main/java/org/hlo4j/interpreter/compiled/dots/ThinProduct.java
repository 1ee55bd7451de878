package org.hlo4j.interpreter.compiled.dots;

import java.util.Objects;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A product of few rows: whole panels of the right side are read where they lie, once. Blocks of
 * steps are short, so that not many parts of memory are read at a time, but there are not more of
 * them than of {@link Blocks#MOST} steps in one.
 */
final class ThinProduct {
  private static final int MAX_PANELS = 16;
  private static final int ENOUGH_CHUNKS = 8;
  private static final int MIN_COLUMNS = 64;

  /** Rows that are widened do not come to lie in the same sets of the cache. */
  private static final int PADDING = 16;

  /** How many rows it has at most. */
  static final int MAX_ROWS = 6;

  private final Product product;
  private final TileSet tiles;
  private final Blocks steps;
  private final TileForm form;
  private final @Nullable Widenings widenings;
  private @Nullable Tile tile;

  ThinProduct(Product product, TileSet tiles, Blocks steps, @Nullable Widenings widenings) {
    this.product = product;
    this.tiles = tiles;
    this.steps = steps;
    this.widenings = product.columns() % tiles.form().width() == 0 ? widenings : null;
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
        && product.rows() <= MAX_ROWS
        && product.columns() >= MIN_COLUMNS
        && (product.rows() == 1 || product.rowsC().stride() == product.stepsB().stride());
  }

  boolean isReady() {
    tile = Tiles.ready(form);
    return tile != null;
  }

  /** Whether it takes the right side as its own type has it: if there are whole panels only. */
  boolean widensRight() {
    return widenings != null;
  }

  /** Computes the columns of whole panels; gives how many. */
  int run(Matrices matrices, KernelContext context, boolean alone) {
    int panels = product.columns() / form.width();
    int atOnce = Math.clamp(Math.ceilDiv(panels, ENOUGH_CHUNKS), 2, MAX_PANELS);
    Chunks.run(
        context,
        alone,
        Math.ceilDiv(panels, atOnce),
        chunk -> {
          context.checkLimits();
          int end = Math.min(panels, (chunk + 1) * atOnce);
          run(matrices, chunk * atOnce, end);
          int from = chunk * atOnce * form.width();
          matrices.finish(product, 0, product.rows(), from, end * form.width());
        });
    return panels * form.width();
  }

  private void run(Matrices matrices, int panel0, int panel1) {
    int j = panel0 * form.width();
    int columns = (panel1 - panel0) * form.width();
    if (widenings == null || matrices.b() instanceof float[]) {
      int apart = product.stepsB().stride();
      Object b = matrices.b();
      Steps inPlace = (k, end) -> matrices.bBase() + k * apart + j;
      run(matrices, inPlace, b, matrices.c(), matrices.cBase() + j, apart, columns);
      return;
    }
    Workspace own = Workspace.of(form.carrier());
    int apart = columns + PADDING;
    Object strip = own.area(steps.most() * apart).array();
    Object sums = own.result(product.rows() * apart);
    Steps widened = (k, end) -> widen(matrices, k, end, j, columns, strip);
    run(matrices, widened, strip, sums, 0, apart, columns);
    Part part = new Part(product.rowsC(), 0, product.rows(), product.columnsC(), j, j + columns);
    Movement.of(form.carrier())
        .scatter(sums, 0, apart, matrices.c(), matrices.cBase(), part, false);
  }

  private int widen(Matrices matrices, int k, int end, int j, int columns, Object strip) {
    int apart = product.stepsB().stride();
    int from = matrices.bBase() + k * apart + j;
    Objects.requireNonNull(widenings)
        .run(matrices.b(), from, apart, end - k, columns, strip, 0, columns + PADDING);
    return 0;
  }

  /** Where some steps of the right side lie as tiles read them. */
  private interface Steps {
    int place(int k, int end);
  }

  /** Rows of the right side and of the result lie as far apart. */
  private void run(
      Matrices matrices, Steps right, Object b, Object c, int cStart, int apart, int columns) {
    Object packed = Workspace.of(form.carrier()).left();
    LeftBlock left = new LeftBlock(tiles, product, matrices, packed, 0, product.rows());
    Tile whole = Objects.requireNonNull(tile);
    for (int block = 0; block < steps.count(); block++) {
      int k = steps.start(block);
      int end = steps.end(block);
      left.pack(0, k, end);
      int place = left.place(0, 0, k);
      int from = right.place(k, end);
      for (int j = 0; j < columns; j += form.width()) {
        whole.run(
            left.array(),
            place,
            left.stride(),
            b,
            from + j,
            c,
            cStart + j,
            apart,
            end - k,
            block > 0);
      }
    }
  }
}
