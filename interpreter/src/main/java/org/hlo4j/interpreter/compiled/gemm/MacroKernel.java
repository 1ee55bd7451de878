package org.hlo4j.interpreter.compiled.gemm;

/**
 * The loops around the micro-kernels, which multiply rows of the left side with panels of the right
 * side. The rows are packed for some blocks of the contracting dimension first. Then each tile of
 * the result is computed for all of these blocks, so that it stays in the cache meanwhile.
 */
final class MacroKernel {
  private final MicroKernelSet tiles;
  private final GemmProblem product;
  private final MatrixCopies movement;
  private final KBlocks steps;
  private final boolean storesDirectly;

  MacroKernel(MicroKernelSet tiles, GemmProblem product, KBlocks steps) {
    this.tiles = tiles;
    this.product = product;
    this.movement = MatrixCopies.of(tiles.form().carrier());
    this.steps = steps;
    this.storesDirectly = product.columnsC().isContiguous() && product.rowsC().hasConstantStride();
  }

  /** {@return whether tiles that fit store to the result itself} */
  boolean storesDirectly() {
    return storesDirectly;
  }

  /**
   * Packs rows i0 to i1 of the left side and multiplies them with panels p0 to p1 in blocks b0 to
   * b1. The ends are exclusive.
   */
  void run(
      GemmMatrices matrices, PackedRhs panels, int i0, int i1, int p0, int p1, int b0, int b1) {
    ThreadWorkspace own = ThreadWorkspace.of(tiles.form().carrier());
    PackedLhs left = new PackedLhs(tiles, product, matrices, own.left(), i0, i1);
    for (int block = b0; block < b1; block++) {
      left.pack(block - b0, steps.start(block), steps.end(block));
    }
    run(matrices, left, panels, i0, i1, p0, p1, b0, b1);
  }

  /** Multiplies a left side that is packed already. */
  void run(
      GemmMatrices matrices,
      PackedLhs left,
      PackedRhs panels,
      int i0,
      int i1,
      int p0,
      int p1,
      int b0,
      int b1) {
    ThreadWorkspace own = ThreadWorkspace.of(tiles.form().carrier());
    if (storesDirectly) {
      int stride = product.rowsC().stride();
      int start = matrices.cBase() + i0 * stride + panels.column(p0);
      new Target(left, panels, own.corner(), matrices.c(), start, stride)
          .run(i0, i1, p0, p1, b0, b1);
      return;
    }
    int j0 = panels.column(p0);
    int j1 = panels.column(p1 - 1) + panels.columns(p1 - 1);
    int stride = tiles.padded(j1 - j0);
    Object to = own.result((i1 - i0) * stride);
    MatrixPart part = new MatrixPart(product.rowsC(), i0, i1, product.columnsC(), j0, j1);
    if (b0 > 0) {
      movement.gather(matrices.c(), matrices.cBase(), part, to, 0, stride);
    }
    new Target(left, panels, own.corner(), to, 0, stride).run(i0, i1, p0, p1, b0, b1);
    movement.scatter(to, 0, stride, matrices.c(), matrices.cBase(), part, false);
  }

  /** The destination of the sums: the result itself, or an array with rows of whole vectors. */
  private final class Target {
    private final PackedLhs left;
    private final PackedRhs panels;
    private final Object corner;
    private final Object to;
    private final int start;
    private final int stride;

    Target(PackedLhs left, PackedRhs panels, Object corner, Object to, int start, int stride) {
      this.left = left;
      this.panels = panels;
      this.corner = corner;
      this.to = to;
      this.start = start;
      this.stride = stride;
    }

    void run(int i0, int i1, int p0, int p1, int b0, int b1) {
      for (int panel = p0; panel < p1; panel++) {
        int at = start + (panel - p0) * tiles.form().width();
        for (int i = i0; i < i1; i += left.rowsOfTile(i)) {
          tile(i, at + (i - i0) * stride, panel, b0, b1);
        }
      }
    }

    /** Computes one tile of the result, for all blocks of steps. */
    private void tile(int i, int at, int panel, int b0, int b1) {
      int rows = left.rowsOfTile(i);
      int columns = panels.columns(panel);
      int width = tiles.padded(columns);
      MicroKernel tile = tiles.tile(rows, columns);
      if (tiles.isWhole(rows) && (width == columns || !storesDirectly)) {
        for (int block = b0; block < b1; block++) {
          multiply(tile, i, panel, block, block - b0, to, at, stride, block > 0);
        }
        return;
      }
      MatrixPart part =
          new MatrixPart(
              DimensionOffsets.even(rows, stride),
              0,
              rows,
              DimensionOffsets.even(columns, 1),
              0,
              columns);
      if (b0 > 0) {
        movement.gather(to, at, part, corner, 0, width);
      }
      for (int block = b0; block < b1; block++) {
        multiply(tile, i, panel, block, block - b0, corner, 0, width, block > 0);
      }
      movement.scatter(corner, 0, width, to, at, part, false);
    }

    private void multiply(
        MicroKernel tile,
        int i,
        int panel,
        int block,
        int slot,
        Object to,
        int at,
        int stride,
        boolean add) {
      int k = steps.start(block);
      tile.run(
          left.array(),
          left.place(i, slot, k),
          left.stride(),
          panels.array(),
          panels.place(panel, k),
          to,
          at,
          stride,
          steps.end(block) - k,
          add);
    }
  }
}
