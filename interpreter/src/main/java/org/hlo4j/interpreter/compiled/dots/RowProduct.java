package org.hlo4j.interpreter.compiled.dots;

import java.util.Locale;
import java.util.Objects;
import org.hlo4j.interpreter.compiled.lanes.VectorSupport;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A product of rows with few columns, both of which lie in memory as they are summed over: matrix
 * times vector. It is as fast as memory can be read. Each sum is made of {@link #LANES} sums, of
 * every so many-th product in order, halved until one is left; then come the products that are left
 * over.
 */
final class RowProduct implements Multiplication {
  /** How many sums there are, whatever the vectors. */
  private static final int LANES = 32;

  private static final int MOST_COLUMNS = 3;
  private static final int LEAST_STEPS = 2 * LANES;
  private static final int ROWS = 4;
  private static final int ROWS_AT_ONCE = 64;
  private static final double ON_ONE_THREAD = 50_000;

  private final Carrier carrier;
  private final Product product;
  private final boolean swapped;
  private final Blocks steps;
  private final @Nullable TileForm form;
  private final @Nullable Tile[] tiles = new @Nullable Tile[ROWS + 1];

  private RowProduct(Carrier carrier, Product product, boolean swapped) {
    this.carrier = carrier;
    this.product = product;
    this.swapped = swapped;
    this.steps = Blocks.of(product.steps() / LANES, Math.max(1, product.steps() / LANES));
    this.form = VectorSupport.isOn() ? form(carrier) : null;
    isReady();
  }

  /** One for a product that is of this kind, or would be with rows and columns exchanged. */
  static @Nullable RowProduct of(Carrier carrier, Product product) {
    if (fits(product)) {
      return new RowProduct(carrier, product, false);
    }
    return fits(product.transposed()) ? new RowProduct(carrier, product.transposed(), true) : null;
  }

  private static boolean fits(Product product) {
    return product.columns() <= MOST_COLUMNS
        && product.steps() >= LEAST_STEPS
        && product.stepsA().isContiguous()
        && product.stepsB().isContiguous()
        && product.rowsA().isEven()
        && product.work() > 0;
  }

  private static TileForm form(Carrier carrier) {
    int lanes = VectorSupport.bits() / carrier.bits();
    return new TileForm(carrier, lanes, ROWS, LANES / lanes, LANES, true, LANES);
  }

  private boolean isReady() {
    if (form == null) {
      return false;
    }
    boolean all = true;
    for (int rows : new int[] {Math.min(ROWS, product.rows()), product.rows() % ROWS}) {
      if (rows > 0) {
        tiles[rows] = Tiles.ready(form.part(rows, form.vectors()));
        all &= tiles[rows] != null;
      }
    }
    return all;
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Finish finish) {
    boolean ready = isReady();
    int pieces = Math.ceilDiv(product.rows(), ROWS_AT_ONCE);
    Chunks.run(
        context,
        product.work() < ON_ONE_THREAD,
        product.batches() * pieces,
        chunk -> {
          context.checkLimits();
          int i0 = chunk % pieces * ROWS_AT_ONCE;
          int i1 = Math.min(product.rows(), i0 + ROWS_AT_ONCE);
          Object left = swapped ? b : a;
          Object right = swapped ? a : b;
          Matrices matrices = Matrices.of(product, left, right, c, Finish.NONE, chunk / pieces);
          for (int i = i0; i < i1; i += ROWS) {
            rows(matrices, i, Math.min(i1, i + ROWS), ready);
          }
        });
  }

  private void rows(Matrices matrices, int i0, int i1, boolean ready) {
    Object sums = Workspace.of(carrier).corner();
    int left = matrices.aBase() + product.rowsA().at(i0);
    int apart = product.rowsA().stride();
    int whole = product.steps() / LANES * LANES;
    for (int j = 0; j < product.columns(); j++) {
      int right = matrices.bBase() + product.columnsB().at(j);
      for (int block = 0; block < steps.count(); block++) {
        Matrices parts = at(matrices, left, right, steps.start(block) * LANES, sums, 0);
        laneSums(parts, i1 - i0, steps.end(block) - steps.start(block), block > 0, ready);
      }
      for (int i = 0; i < i1 - i0; i++) {
        int to = matrices.cBase() + product.rowsC().at(i0 + i) + product.columnsC().at(j);
        Matrices rest = at(matrices, left + i * apart, right, whole, matrices.c(), to);
        Arithmetic.of(carrier).total(sums, i * LANES, LANES, rest, product.steps() - whole);
      }
    }
  }

  /** Where parts lie: from step k on, and their sums. */
  private static Matrices at(Matrices all, int left, int right, int k, Object to, int place) {
    return new Matrices(all.a(), left + k, all.b(), right + k, to, place, Finish.NONE);
  }

  private void laneSums(Matrices parts, int rows, int count, boolean add, boolean ready) {
    Object a = parts.a();
    Object b = parts.b();
    if (ready) {
      int stride = product.rowsA().stride();
      Objects.requireNonNull(tiles[rows])
          .run(a, parts.aBase(), stride, b, parts.bBase(), parts.c(), 0, LANES, count, add);
      return;
    }
    for (int i = 0; i < rows; i++) {
      int left = parts.aBase() + i * product.rowsA().stride();
      Matrices row = new Matrices(a, left, b, parts.bBase(), parts.c(), i * LANES, Finish.NONE);
      Arithmetic.of(carrier).laneSums(row, LANES, count, add);
    }
  }

  @Override
  public boolean hasRows() {
    return false;
  }

  @Override
  public int columns() {
    return product.columns();
  }

  @Override
  public String toString() {
    String how = form == null ? "plain loops" : "vectors of " + form.lanes();
    String type = carrier.toString().toLowerCase(Locale.ROOT);
    return "gemm " + type + " " + (swapped ? product.transposed() : product) + " by rows, " + how;
  }
}
