package org.hlo4j.interpreter.compiled.dots;

import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.hlo4j.interpreter.compiled.lanes.VectorSupport;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A product by vector tiles. The right side is packed once into panels as wide as a tile, the left
 * one block of rows by block of rows; a panel and a block then meet in the fast caches.
 */
final class TiledProduct {
  private static final int TILE_ROWS = 6;
  private static final int BLOCK_ROWS = 96;
  private static final int STRIDE_OF_ROWS = Numbers.STEPS + 16;
  private static final int STRIDE_OF_STEPS = BLOCK_ROWS + 16;
  private static final int BLOCK_SIZE =
      Math.max(BLOCK_ROWS * STRIDE_OF_ROWS, Numbers.STEPS * STRIDE_OF_STEPS);
  private static final int SHORT_RUN = 8;
  private static final int MOST_PACKED = 1 << 22;
  private static final int MOST_RESULT = 1 << 17;
  private static final int MOST_PACKED_STEPS = 40;
  private static final int PACKED_AT_ONCE = 32;
  private static final int ENOUGH_CHUNKS = 4;
  private static final double ON_ONE_THREAD = 250_000;
  private static final double BATCH_ON_ONE_THREAD = 4_000_000;

  /** What a thread has of its own. */
  private static final class Local {
    final Object block;
    final Object corner;
    Object panels;
    private Object result;

    Local(Carrier carrier) {
      Numbers numbers = Numbers.of(carrier);
      block = numbers.allocate(BLOCK_SIZE);
      corner = numbers.allocate(TILE_ROWS * 512);
      panels = numbers.allocate(0);
      result = panels;
    }

    Object result(Numbers numbers, int count) {
      if (numbers.length(result) < count) {
        result = numbers.allocate(count);
      }
      return result;
    }
  }

  private static final ThreadLocal<Map<Carrier, Local>> LOCALS =
      ThreadLocal.withInitial(() -> new EnumMap<>(Carrier.class));

  private final Carrier carrier;
  private final Product product;
  private final Numbers numbers;
  private final TileForm form;
  private final boolean inPlace;
  private final boolean leftByRows;
  private final boolean copiesRight;
  private final boolean storesDirectly;
  private final boolean thin;
  private final Blocks steps;
  private final @Nullable Tile[][] tiles;
  private @Nullable Tile thinTile;
  private volatile boolean ready;

  TiledProduct(Carrier carrier, Product product, Blocks steps, boolean inPlace) {
    this.carrier = carrier;
    this.product = product;
    this.numbers = Numbers.of(carrier);
    this.leftByRows = product.stepsA().run() >= SHORT_RUN || product.rowsA().run() < SHORT_RUN;
    this.copiesRight = product.columnsB().isContiguous() && product.stepsB().isEven();
    this.storesDirectly = product.columnsC().isContiguous() && product.rowsC().isEven();
    this.steps = steps;
    this.inPlace = inPlace;
    this.form =
        new TileForm(
            carrier,
            VectorSupport.bits() / carrier.bits(),
            TILE_ROWS,
            VectorSupport.bits() == 512 ? 4 : 2,
            inPlace ? product.rowsA().stride() : leftByRows ? STRIDE_OF_ROWS : 1,
            leftByRows ? 1 : STRIDE_OF_STEPS,
            true);
    this.thin =
        !inPlace
            && copiesRight
            && storesDirectly
            && product.rows() <= TILE_ROWS
            && product.columns() >= form.width()
            && (product.rows() == 1 || product.rowsC().stride() == product.stepsB().stride());
    this.tiles = new @Nullable Tile[TILE_ROWS + 1][form.vectors() + 1];
  }

  /** Whether all tiles that it needs are; if not, they are being made. */
  boolean isReady() {
    if (!ready) {
      boolean all = true;
      for (TileForm needed : forms()) {
        Tile tile = Tiles.ready(needed);
        all &= tile != null;
        if (needed.packed()) {
          tiles[needed.rows()][needed.copies() ? 0 : needed.vectors()] = tile;
        } else {
          thinTile = tile;
        }
      }
      ready = all;
    }
    return ready;
  }

  private Set<TileForm> forms() {
    Set<TileForm> forms = new HashSet<>();
    int run = inPlace ? product.rowsA().evenRun() : product.rows();
    for (int rows : new int[] {Math.min(run, TILE_ROWS), run % TILE_ROWS}) {
      for (int columns : new int[] {form.width(), product.columns() % form.width()}) {
        if (rows > 0 && columns > 0 && columns <= product.columns()) {
          forms.add(tile(rows, columns));
        }
      }
    }
    forms.add(form.copier());
    return forms;
  }

  private TileForm tile(int rows, int columns) {
    return new TileForm(
        carrier,
        form.lanes(),
        rows,
        Math.ceilDiv(columns, form.lanes()),
        form.rowStride(),
        form.stepStride(),
        !(thin && columns == form.width()));
  }

  void run(Object a, Object b, Object c, KernelContext context) {
    double each = product.work() / product.batches();
    if (product.batches() > 1 && each < BATCH_ON_ONE_THREAD) {
      int batchesAtOnce = (int) Math.ceil(ON_ONE_THREAD / each);
      int chunks = Math.ceilDiv(product.batches(), batchesAtOnce);
      Chunks.run(
          context,
          chunks == 1,
          chunks,
          chunk -> {
            context.checkLimits();
            int end = Math.min(product.batches(), (chunk + 1) * batchesAtOnce);
            for (int batch = chunk * batchesAtOnce; batch < end; batch++) {
              new Batch(a, b, c, batch, context, true).run();
            }
          });
      return;
    }
    for (int batch = 0; batch < product.batches(); batch++) {
      new Batch(a, b, c, batch, context, each < ON_ONE_THREAD).run();
    }
  }

  private static Local local(Carrier carrier) {
    return LOCALS.get().computeIfAbsent(carrier, Local::new);
  }

  /** One product of matrices. */
  private final class Batch {
    private final Object a;
    private final int aBase;
    private final Object b;
    private final int bBase;
    private final Object c;
    private final int cBase;
    private final KernelContext context;
    private final boolean alone;

    Batch(Object a, Object b, Object c, int batch, KernelContext context, boolean alone) {
      this.a = a;
      this.aBase = product.batchesA().at(batch);
      this.b = b;
      this.bBase = product.batchesB().at(batch);
      this.c = c;
      this.cBase = product.batchesC().at(batch);
      this.context = context;
      this.alone = alone;
    }

    /** Parts of the right side, as large as may be packed at a time. */
    void run() {
      int most = Math.min(steps.count(), MOST_PACKED_STEPS) * steps.most();
      int panels = thin ? product.columns() : MOST_PACKED / Math.max(1, most) / form.width();
      int width = (int) Math.min(Integer.MAX_VALUE / 2, Math.max(1L, panels) * form.width());
      for (int j = 0; j < product.columns(); j += width) {
        int end = Math.min(product.columns(), j + width);
        for (int k = 0; k < steps.count(); k += MOST_PACKED_STEPS) {
          run(j, end, k, Math.min(steps.count(), k + MOST_PACKED_STEPS));
        }
      }
    }

    private void run(int j0, int j1, int block0, int block1) {
      int depth = steps.end(block1 - 1) - steps.start(block0);
      int size = depth * (thin ? form.width() : padded(j1 - j0));
      if (alone) {
        Local local = local(carrier);
        if (numbers.length(local.panels) < size) {
          local.panels = numbers.allocate(size);
        }
        new Part(this, local.panels, j0, j1, block0, block1).run();
        return;
      }
      Object panels = Scratch.borrow(carrier, size);
      new Part(this, panels, j0, j1, block0, block1).run();
      Scratch.giveBack(carrier, panels);
    }
  }

  private int padded(int columns) {
    return Math.ceilDiv(columns, form.lanes()) * form.lanes();
  }

  /** Some columns and some blocks of steps of a product. */
  private final class Part {
    private final Batch batch;
    private final Object panels;
    private final int j0;
    private final int j1;
    private final int block0;
    private final int block1;
    private final int first;
    private final int depth;
    private final int panelCount;

    Part(Batch batch, Object panels, int j0, int j1, int block0, int block1) {
      this.batch = batch;
      this.panels = panels;
      this.j0 = j0;
      this.j1 = j1;
      this.block0 = block0;
      this.block1 = block1;
      this.first = steps.start(block0);
      this.depth = steps.end(block1 - 1) - first;
      this.panelCount = Math.ceilDiv(j1 - j0, form.width());
    }

    void run() {
      if (!thin || (j1 - j0) % form.width() != 0) {
        Chunks.run(batch.context, batch.alone, Math.ceilDiv(depth, PACKED_AT_ONCE), this::pack);
      }
      int rowsAtOnce = rowsAtOnce();
      int rowChunks = Math.ceilDiv(product.rows(), rowsAtOnce);
      int columnChunks = Math.min(panelCount, columnChunks(rowChunks, rowsAtOnce));
      int panelsAtOnce = Math.ceilDiv(panelCount, columnChunks);
      Chunks.run(
          batch.context,
          batch.alone,
          rowChunks * columnChunks,
          chunk -> {
            batch.context.checkLimits();
            int i = chunk % rowChunks * rowsAtOnce;
            int p = chunk / rowChunks * panelsAtOnce;
            multiply(
                i,
                Math.min(product.rows(), i + rowsAtOnce),
                p,
                Math.min(panelCount, p + panelsAtOnce));
          });
    }

    private int columnChunks(int rowChunks, int rowsAtOnce) {
      int enough = Math.ceilDiv(ENOUGH_CHUNKS, rowChunks);
      double result = (double) rowsAtOnce * (j1 - j0);
      return storesDirectly ? enough : Math.max(enough, (int) Math.ceil(result / MOST_RESULT));
    }

    /** Whole tiles, blocks of nearly equal size. */
    private int rowsAtOnce() {
      if (inPlace) {
        int run = product.rowsA().evenRun();
        return run == product.rows() ? BLOCK_ROWS : Math.max(1, BLOCK_ROWS / run) * run;
      }
      int tiles = Math.ceilDiv(product.rows(), TILE_ROWS);
      int chunks = Math.ceilDiv(tiles, BLOCK_ROWS / TILE_ROWS);
      chunks += chunks > 1 ? chunks & 1 : 0;
      return Math.ceilDiv(tiles, chunks) * TILE_ROWS;
    }

    /** Some steps of all panels: reading goes on in rows, writing in as many lines as panels. */
    private void pack(int chunk) {
      int k0 = first + chunk * PACKED_AT_ONCE;
      int k1 = Math.min(first + depth, k0 + PACKED_AT_ONCE);
      for (int panel = thin ? (j1 - j0) / form.width() : 0; panel < panelCount; panel++) {
        int j = j0 + panel * form.width();
        int end = Math.min(j1, j + form.width());
        int width = padded(end - j);
        int start = panelStart(panel) + (k0 - first) * width;
        if (width == form.width() && end - j == width && copiesRight) {
          int from = batch.bBase + k0 * product.stepsB().stride() + j;
          copy(batch.b, from, product.stepsB().stride(), panels, start, width, k1 - k0);
        } else {
          numbers.gather(
              batch.b,
              batch.bBase,
              product.stepsB(),
              k0,
              k1,
              product.columnsB(),
              j,
              end,
              panels,
              start,
              width);
        }
      }
    }

    private void multiply(int i0, int i1, int panel0, int panel1) {
      Local local = local(carrier);
      Object to = batch.c;
      int start = batch.cBase + i0 * product.rowsC().stride() + j0 + panel0 * form.width();
      int stride = product.rowsC().stride();
      int j = j0 + panel0 * form.width();
      int end = Math.min(j1, j0 + panel1 * form.width());
      if (!storesDirectly) {
        stride = padded(end - j);
        start = 0;
        to = local.result(numbers, (i1 - i0) * stride);
        if (block0 > 0) {
          numbers.gather(
              batch.c,
              batch.cBase,
              product.rowsC(),
              i0,
              i1,
              product.columnsC(),
              j,
              end,
              to,
              0,
              stride);
        }
      }
      for (int block = block0; block < block1; block++) {
        if (!inPlace) {
          packLeft(local.block, i0, i1, steps.start(block), steps.end(block));
        }
        for (int panel = panel0; panel < panel1; panel++) {
          int at = start + (panel - panel0) * form.width();
          multiply(local, i0, i1, block, panel, to, at, stride);
        }
      }
      if (!storesDirectly) {
        numbers.scatter(
            to,
            0,
            stride,
            batch.c,
            batch.cBase,
            product.rowsC(),
            i0,
            i1,
            product.columnsC(),
            j,
            end,
            false);
      }
    }

    private void packLeft(Object block, int i0, int i1, int k0, int k1) {
      if (leftByRows) {
        packLeft(block, product.rowsA(), i0, i1, product.stepsA(), k0, k1, STRIDE_OF_ROWS);
      } else {
        packLeft(block, product.stepsA(), k0, k1, product.rowsA(), i0, i1, STRIDE_OF_STEPS);
      }
    }

    private void packLeft(
        Object block,
        Positions rows,
        int i0,
        int i1,
        Positions columns,
        int j0,
        int j1,
        int stride) {
      int j = j0;
      if (rows.isEven() && columns.isContiguous()) {
        for (; j + form.width() <= j1; j += form.width()) {
          int from = batch.aBase + i0 * rows.stride() + j;
          copy(batch.a, from, rows.stride(), block, j - j0, stride, i1 - i0);
        }
      }
      if (j < j1) {
        numbers.gather(batch.a, batch.aBase, rows, i0, i1, columns, j, j1, block, j - j0, stride);
      }
    }

    private int panelStart(int panel) {
      return thin ? 0 : panel * form.width() * depth;
    }

    private void copy(
        Object from, int start, int stride, Object to, int at, int toStride, int rows) {
      tiles[0][0].run(from, start, from, stride, to, at, toStride, rows, false);
    }

    private void multiply(
        Local local, int i0, int i1, int block, int panel, Object to, int start, int stride) {
      int k0 = steps.start(block);
      int length = steps.end(block) - k0;
      int columns = Math.min(j1 - j0 - panel * form.width(), form.width());
      int width = padded(columns);
      int right = panelStart(panel) + (k0 - first) * width;
      boolean whole = width == columns || !storesDirectly;
      if (thin && columns == form.width()) {
        int apart = product.stepsB().stride();
        int from = batch.bBase + k0 * apart + j0 + panel * form.width();
        Objects.requireNonNull(thinTile)
            .run(local.block, 0, batch.b, from, to, start, apart, length, block > 0);
        return;
      }
      for (int i = i0, rows; i < i1; i += rows) {
        rows = rowsOfTile(i, i1);
        Tile tile = tiles[rows][width / form.lanes()];
        Object from = inPlace ? batch.a : local.block;
        int left = inPlace ? placeOfLeft(i, k0) : (i - i0) * form.rowStride();
        int at = start + (i - i0) * stride;
        if (whole) {
          tile.run(from, left, panels, right, to, at, stride, length, block > 0);
        } else {
          tile.run(from, left, panels, right, local.corner, 0, width, length, false);
          numbers.scatter(
              local.corner,
              0,
              width,
              to,
              at,
              Positions.even(rows, stride),
              0,
              rows,
              Positions.even(columns, 1),
              0,
              columns,
              block > 0);
        }
      }
    }

    private int rowsOfTile(int i, int i1) {
      int rows = Math.min(TILE_ROWS, i1 - i);
      int run = product.rowsA().evenRun();
      return inPlace ? Math.min(rows, run - i % run) : rows;
    }

    private int placeOfLeft(int i, int k) {
      return batch.aBase + product.rowsA().at(i) + product.stepsA().at(k);
    }
  }

  @Override
  public String toString() {
    return (inPlace ? "in place, " : "")
        + "tiles of "
        + form.rows()
        + "x"
        + form.width()
        + ", vectors of "
        + form.lanes();
  }
}
