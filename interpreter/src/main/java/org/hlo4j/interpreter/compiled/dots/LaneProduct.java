package org.hlo4j.interpreter.compiled.dots;

import java.util.Locale;
import java.util.Objects;
import org.hlo4j.interpreter.compiled.lanes.VectorSupport;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A product column by column, {@code c[i, j] = sum over k of a[i, k, j] * b[k, j]}, as in a
 * depthwise convolution: the columns lie side by side in all three arrays.
 */
final class LaneProduct implements Multiplication {
  private static final int ROWS = 4;
  private static final int ROWS_AT_ONCE = 48;
  private static final double ON_ONE_THREAD = 100_000;

  private final Carrier carrier;
  private final Product product;
  private final Blocks steps;
  private final int[] stepsA;
  private final int[] stepsB;
  private final @Nullable TileForm form;
  private final @Nullable Tile[][] tiles;

  LaneProduct(Carrier carrier, Product product) {
    this.carrier = carrier;
    this.product = product;
    this.steps = Blocks.of(product.steps(), evenRun(product.stepsA(), product.stepsB()));
    this.stepsA = product.stepsA().toTable();
    this.stepsB = product.stepsB().toTable();
    this.form = VectorSupport.isOn() ? form(carrier, product) : null;
    this.tiles = new @Nullable Tile[ROWS + 1][form == null ? 1 : form.vectors() + 1];
    isReady();
  }

  private static @Nullable TileForm form(Carrier carrier, Product product) {
    int lanes = VectorSupport.bits() / carrier.bits();
    int vectors = VectorSupport.bits() == 512 ? 4 : 2;
    boolean fits =
        product.columns() % lanes == 0 && product.columns() > 0 && product.stepsB().stride() > 0;
    return fits
        ? new TileForm(
            carrier,
            lanes,
            ROWS,
            Math.min(vectors, product.columns() / lanes),
            product.stepsA().stride(),
            true,
            product.stepsB().stride(),
            1)
        : null;
  }

  private boolean isReady() {
    if (form == null) {
      return false;
    }
    boolean all = true;
    int run = evenRun();
    for (int rows : new int[] {Math.min(run, ROWS), run % ROWS}) {
      for (int columns : new int[] {form.width(), product.columns() % form.width()}) {
        if (rows > 0 && columns > 0) {
          Tile tile = Tiles.ready(form.part(rows, columns / form.lanes()));
          tiles[rows][columns / form.lanes()] = tile;
          all &= tile != null;
        }
      }
    }
    return all;
  }

  /**
   * How many rows are evenly spaced in both arrays: from each multiple of this number that many.
   */
  private int evenRun() {
    return evenRun(product.rowsA(), product.rowsC());
  }

  private static int evenRun(Positions some, Positions others) {
    int one = some.evenRun();
    int other = others.evenRun();
    return others.isEven() || other % one == 0 ? one : one % other == 0 ? other : 1;
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Finish finish) {
    boolean ready = isReady();
    int run = evenRun();
    int rows = run == product.rows() ? ROWS_AT_ONCE : Math.max(1, ROWS_AT_ONCE / run) * run;
    Cuts cuts = Cuts.of(product.rows(), rows);
    Chunks.run(
        context,
        product.work() < ON_ONE_THREAD,
        cuts.count(),
        chunk -> {
          context.checkLimits();
          int i0 = cuts.start(chunk);
          int i1 = cuts.end(chunk);
          if (ready && form != null) {
            vectors(form, a, b, c, i0, i1);
          } else {
            plain(a, b, c, i0, i1);
          }
          finish.run(i0, i1, 0, product.columns());
        });
  }

  private void vectors(TileForm form, Object a, Object b, Object c, int i0, int i1) {
    int run = evenRun();
    for (int i = i0, rows; i < i1; i += rows) {
      rows = Math.min(Math.min(ROWS, i1 - i), run - i % run);
      for (int j = 0; j < product.columns(); j += form.width()) {
        int vectors = Math.min(form.width(), product.columns() - j) / form.lanes();
        Tile tile = Objects.requireNonNull(tiles[rows][vectors]);
        for (int block = 0; block < steps.count(); block++) {
          int k = steps.start(block);
          int left = product.batchesA().at(0) + product.rowsA().at(i) + stepsA[k] + j;
          int right = product.batchesB().at(0) + stepsB[k] + j;
          int to = product.batchesC().at(0) + product.rowsC().at(i) + j;
          int count = steps.end(block) - k;
          int stride = product.rowsA().stride();
          int apart = product.rowsC().stride();
          tile.run(a, left, stride, b, right, c, to, apart, count, block > 0);
        }
      }
    }
  }

  private void plain(Object a, Object b, Object c, int i0, int i1) {
    Arithmetic arithmetic = Arithmetic.of(carrier);
    int right = product.batchesB().at(0);
    for (int i = i0; i < i1; i++) {
      int left = product.batchesA().at(0) + product.rowsA().at(i);
      int to = product.batchesC().at(0) + product.rowsC().at(i);
      Matrices row = new Matrices(a, left, b, right, c, to, Finish.NONE);
      for (int block = 0; block < steps.count(); block++) {
        arithmetic.lanes(this, row, steps.start(block), steps.end(block), block > 0);
      }
    }
  }

  int[] stepsA() {
    return stepsA;
  }

  int[] stepsB() {
    return stepsB;
  }

  @Override
  public boolean hasRows() {
    return product.rowsC().isEven()
        && product.batchesC().isEven()
        && (product.rows() == 1 || product.rowsC().stride() == product.columns());
  }

  @Override
  public int columns() {
    return product.columns();
  }

  @Override
  public String toString() {
    String how = form == null ? "plain loops" : "tiles of " + ROWS + "x" + form.width();
    String type = carrier.toString().toLowerCase(Locale.ROOT);
    return "product by lanes " + type + " " + product + ", " + how;
  }
}
