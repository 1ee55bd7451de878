package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A product with few rows, which reads whole panels of the right side in place, once. Blocks of the
 * contracting dimension are short, so that few rows of the right side are read at a time, yet long
 * enough that there are at most {@link KBlocks#MAX} of them, unless each has that length already.
 */
final class FewRowsGemm {
  private static final int MAX_PANELS = 16;
  private static final int ENOUGH_CHUNKS = 8;
  private static final int MIN_COLUMNS = 64;

  /** Padding of widened rows, which keeps them out of the same cache sets. */
  private static final int PADDING = 16;

  /** The maximum number of rows. */
  static final int MAX_ROWS = 6;

  private final GemmProblem product;
  private final MicroKernelSet tiles;
  private final KBlocks steps;
  private final MicroKernelShape form;
  private final @Nullable Widenings widenings;
  private @Nullable MicroKernel tile;

  FewRowsGemm(
      GemmProblem product, MicroKernelSet tiles, KBlocks steps, @Nullable Widenings widenings) {
    this.product = product;
    this.tiles = tiles;
    this.steps = steps;
    this.widenings = product.columns() % tiles.form().width() == 0 ? widenings : null;
    this.form = tiles.form().part(product.rows(), tiles.form().vectors()).unpacked();
  }

  static boolean fits(GemmProblem product, MicroKernelSet tiles) {
    return !tiles.isInPlace() && product.columns() >= tiles.form().width() && fits(product);
  }

  /** {@return whether a product is of this kind, if the tiles are narrow enough} */
  static boolean fits(GemmProblem product) {
    return product.columnsB().isContiguous()
        && product.stepsB().hasConstantStride()
        && product.columnsC().isContiguous()
        && product.rowsC().hasConstantStride()
        && product.rows() <= MAX_ROWS
        && product.columns() >= MIN_COLUMNS
        && (product.rows() == 1 || product.rowsC().stride() == product.stepsB().stride());
  }

  boolean isReady() {
    tile = MicroKernels.ready(form);
    return tile != null;
  }

  /**
   * {@return whether the right side is read in its own narrow type and widened here} This requires
   * that all panels are whole.
   */
  boolean widensRight() {
    return widenings != null;
  }

  /** Computes the columns of whole panels and returns their number. */
  int run(GemmMatrices matrices, KernelContext context, boolean alone) {
    int panels = product.columns() / form.width();
    int atOnce = Math.clamp(Math.ceilDiv(panels, ENOUGH_CHUNKS), 2, MAX_PANELS);
    ParallelChunks.run(
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

  private void run(GemmMatrices matrices, int panel0, int panel1) {
    int j = panel0 * form.width();
    int columns = (panel1 - panel0) * form.width();
    if (widenings == null || matrices.b() instanceof float[]) {
      int apart = product.stepsB().stride();
      Object b = matrices.b();
      Steps inPlace = (k, end) -> matrices.bBase() + k * apart + j;
      run(matrices, inPlace, b, matrices.c(), matrices.cBase() + j, apart, columns);
      return;
    }
    ThreadWorkspace own = ThreadWorkspace.of(form.carrier());
    int apart = columns + PADDING;
    Object strip = own.area(steps.most() * apart).array();
    Object sums = own.result(product.rows() * apart);
    Steps widened = (k, end) -> widen(matrices, k, end, j, columns, strip);
    run(matrices, widened, strip, sums, 0, apart, columns);
    MatrixPart part =
        new MatrixPart(product.rowsC(), 0, product.rows(), product.columnsC(), j, j + columns);
    MatrixCopies.of(form.carrier())
        .scatter(sums, 0, apart, matrices.c(), matrices.cBase(), part, false);
  }

  private int widen(GemmMatrices matrices, int k, int end, int j, int columns, Object strip) {
    int apart = product.stepsB().stride();
    int from = matrices.bBase() + k * apart + j;
    Objects.requireNonNull(widenings)
        .run(matrices.b(), from, apart, end - k, columns, strip, 0, columns + PADDING);
    return 0;
  }

  /** Returns the position of some rows of the right side, which it widens first if necessary. */
  private interface Steps {
    int place(int k, int end);
  }

  /** Multiplies some columns. Rows of the right side and of the result have the same stride. */
  private void run(
      GemmMatrices matrices, Steps right, Object b, Object c, int cStart, int apart, int columns) {
    Object packed = ThreadWorkspace.of(form.carrier()).left();
    PackedLhs left = new PackedLhs(tiles, product, matrices, packed, 0, product.rows());
    MicroKernel whole = Objects.requireNonNull(tile);
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
