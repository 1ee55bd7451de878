package org.hlo4j.interpreter.compiled.dots;

/** Some rows and steps of the left side as tiles read them: packed, or where they lie. */
final class LeftBlock {
  /** How many elements the array of {@link #pack} has. */
  static final int SIZE = 4 * 256 * TileSet.STRIDE_OF_STEPS;

  private static final int BYTES_OF_STEPS = 2048;
  private static final int BYTES_OF_ROW = 384 * 4;
  private static final int MOST_SIDE_BY_SIDE = 96;

  private final TileSet tiles;
  private final Product product;
  private final Matrices matrices;
  private final Object packed;
  private final int i0;
  private final int i1;

  LeftBlock(TileSet tiles, Product product, Matrices matrices, Object packed, int i0, int i1) {
    this.tiles = tiles;
    this.product = product;
    this.matrices = matrices;
    this.packed = packed;
    this.i0 = i0;
    this.i1 = i1;
  }

  /** How many blocks of steps are packed at a time. */
  static int blocks(TileForm form) {
    return Math.max(1, BYTES_OF_STEPS * Byte.SIZE / form.carrier().bits() / Numbers.STEPS);
  }

  /** How many rows at most, if there are so many blocks of steps. */
  static int rows(TileSet tiles, int blocks) {
    int bytes = tiles.form().carrier().bits() / Byte.SIZE;
    int rows = BYTES_OF_ROW / bytes / Math.min(blocks, blocks(tiles.form()));
    return tiles.isLeftByRows() ? rows : Math.min(rows, MOST_SIDE_BY_SIDE);
  }

  /** How many elements so many rows, made whole tiles, and blocks of steps have when packed. */
  static int size(TileSet tiles, int rows, int blocks) {
    int block =
        tiles.isLeftByRows()
            ? Math.ceilDiv(rows, TileSet.ROWS) * TileSet.ROWS * TileSet.STRIDE_OF_ROWS
            : Numbers.STEPS * TileSet.STRIDE_OF_STEPS;
    return blocks * block;
  }

  Object array() {
    return tiles.isInPlace() ? matrices.a() : packed;
  }

  /** Where a row begins, with the first step of a block; the {@code slot}th that is packed. */
  int place(int i, int slot, int k) {
    if (tiles.isInPlace()) {
      return matrices.aBase() + product.rowsA().at(i) + product.stepsA().at(k);
    }
    return size(tiles, i1 - i0, slot) + (i - i0) * tiles.form().rowStride();
  }

  /** How many rows the tile that begins at one has. */
  int rowsOfTile(int i) {
    int rows = Math.min(TileSet.ROWS, i1 - i);
    int run = product.rowsA().evenRun();
    return tiles.isInPlace() ? Math.min(rows, run - i % run) : rows;
  }

  /** Packs a block of steps. */
  void pack(int slot, int k0, int k1) {
    pack(slot, k0, k1, i0, i1);
  }

  /** Packs some rows of a block of steps. */
  void pack(int slot, int k0, int k1, int from, int to) {
    if (tiles.isInPlace()) {
      return;
    }
    if (tiles.isLeftByRows()) {
      int stride = TileSet.STRIDE_OF_ROWS;
      int at = size(tiles, i1 - i0, slot) + (from - i0) * stride;
      pack(at, product.rowsA(), from, to, product.stepsA(), k0, k1, stride);
    } else {
      int at = size(tiles, i1 - i0, slot) + from - i0;
      pack(at, product.stepsA(), k0, k1, product.rowsA(), from, to, TileSet.STRIDE_OF_STEPS);
    }
  }

  private void pack(
      int to, Positions rows, int i0, int i1, Positions columns, int j0, int j1, int stride) {
    int width = tiles.form().width();
    int whole = columns.isContiguous() ? (j1 - j0) / width : 0;
    if (whole > 0) {
      Tile copier = tiles.copier();
      for (int i = i0; i < i1; i++) {
        int from = matrices.aBase() + rows.at(i) + j0;
        int at = to + (i - i0) * stride;
        copier.run(matrices.a(), from, packed, width, packed, at, width, whole, false);
      }
    }
    int j = j0 + whole * width;
    if (j < j1) {
      Numbers.of(tiles.form().carrier())
          .gather(
              matrices.a(),
              matrices.aBase(),
              rows,
              i0,
              i1,
              columns,
              j,
              j1,
              packed,
              to + j - j0,
              stride);
    }
  }
}
