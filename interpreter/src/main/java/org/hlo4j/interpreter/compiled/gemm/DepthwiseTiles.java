package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.jspecify.annotations.Nullable;

/**
 * The tiles of a depthwise product, {@code c[i, j] = sum over k of a[i, k, j] * b[k, j]}, where
 * columns are contiguous in a and b. Micro-kernels compute it once they are ready; until then plain
 * loops do, in the same order of operations. If the last columns do not fill a vector, the last
 * vector begins further left, so that some columns are computed twice.
 */
public final class DepthwiseTiles {
  private static final int ROWS = 4;

  private final AccumulatorType carrier;
  private final GemmProblem product;
  private final KBlocks steps;
  private final int[] stepsA;
  private final int[] stepsB;
  private final int run;
  private final @Nullable MicroKernelShape form;
  private final @Nullable MicroKernel[][] tiles;

  /**
   * Creates the tiles of a product. Within each group of {@code run} rows that begins at a multiple
   * of {@code run}, the rows have a constant stride.
   */
  public DepthwiseTiles(AccumulatorType carrier, GemmProblem product, int run) {
    this.carrier = carrier;
    this.product = product;
    this.steps = KBlocks.of(product.k(), evenRun(product.stepsA(), product.stepsB()));
    this.stepsA = product.stepsA().toTable();
    this.stepsB = product.stepsB().toTable();
    this.run = run;
    this.form = VectorSupport.isOn() ? form(carrier, product) : null;
    this.tiles = new @Nullable MicroKernel[ROWS + 1][form == null ? 1 : form.vectors() + 1];
  }

  private static @Nullable MicroKernelShape form(AccumulatorType carrier, GemmProblem product) {
    int lanes = VectorSupport.bits() / carrier.bits();
    int vectors = VectorSupport.bits() == 512 ? 4 : 2;
    return product.columns() >= lanes && product.stepsB().stride() > 0
        ? new MicroKernelShape(
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

  /**
   * {@return the length of the runs that have a constant stride in both tables, where each run
   * begins at a multiple of that length}
   */
  public static int evenRun(DimensionOffsets some, DimensionOffsets others) {
    int one = some.stridedRunLength();
    int other = others.stridedRunLength();
    return others.hasConstantStride() || other % one == 0 ? one : one % other == 0 ? other : 1;
  }

  /** {@return whether all tiles are ready} Starts the warm-up of those that are not. */
  public boolean isReady() {
    if (form == null) {
      return false;
    }
    boolean all = true;
    for (int rows : new int[] {Math.min(run, ROWS), run % ROWS}) {
      for (int columns : new int[] {form.width(), product.columns() - lastColumns(form)}) {
        if (rows > 0 && columns > 0) {
          MicroKernel tile = MicroKernels.ready(form.part(rows, columns / form.lanes()));
          tiles[rows][columns / form.lanes()] = tile;
          all &= tile != null;
        }
      }
    }
    return all;
  }

  public KBlocks steps() {
    return steps;
  }

  private int wholeColumns(MicroKernelShape form) {
    return product.columns() / form.width() * form.width();
  }

  /**
   * {@return the first of the columns that remain beside full tiles, so that they fill a whole
   * number of vectors}
   */
  private int lastColumns(MicroKernelShape form) {
    int left = product.columns() % form.width();
    return product.columns() - Math.ceilDiv(left, form.lanes()) * form.lanes();
  }

  /**
   * Computes a part tile by tile, each with all of its blocks before the next tile. For a short
   * contracting dimension.
   */
  public void byRows(DepthwisePart part, boolean ready) {
    if (ready && form != null) {
      columns(form, part, 0, wholeColumns(form));
      columns(form, part, lastColumns(form), product.columns());
    } else {
      plain(part);
    }
  }

  /**
   * Computes a part block by block, each for all rows and columns before the next block, so that a
   * block is read once. For a long contracting dimension.
   */
  public void byBlocks(DepthwisePart part, boolean ready) {
    if (!ready || form == null) {
      plain(part);
      return;
    }
    for (int block = part.b0(); block < part.b1(); block++) {
      columns(form, part.block(block), 0, wholeColumns(form));
    }
    columns(form, part, lastColumns(form), product.columns());
  }

  private void columns(MicroKernelShape form, DepthwisePart part, int j0, int j1) {
    GemmMatrices matrices = part.matrices();
    for (int i = part.i0(), rows; i < part.i1(); i += rows) {
      rows = Math.min(Math.min(ROWS, part.i1() - i), run - i % run);
      for (int j = j0; j < j1; j += form.width()) {
        int vectors = Math.min(form.width(), j1 - j) / form.lanes();
        MicroKernel tile = Objects.requireNonNull(tiles[rows][vectors]);
        for (int block = part.b0(); block < part.b1(); block++) {
          int k = steps.start(block);
          tile.run(
              matrices.a(),
              matrices.aBase() + product.rowsA().at(i) + stepsA[k] + j,
              product.rowsA().stride(),
              matrices.b(),
              matrices.bBase() + stepsB[k] + j,
              matrices.c(),
              matrices.cBase() + part.rows().at(i) + j,
              part.rows().stride(),
              steps.end(block) - k,
              block > part.first());
        }
      }
    }
  }

  private void plain(DepthwisePart part) {
    GemmArithmetic arithmetic = GemmArithmetic.of(carrier);
    GemmMatrices m = part.matrices();
    for (int block = part.b0(); block < part.b1(); block++) {
      int k0 = steps.start(block);
      for (int i = part.i0(); i < part.i1(); i++) {
        int left = m.aBase() + product.rowsA().at(i);
        int to = m.cBase() + part.rows().at(i);
        GemmMatrices row =
            new GemmMatrices(m.a(), left, m.b(), m.bBase(), m.c(), to, Epilogue.NONE);
        arithmetic.lanes(this, row, k0, steps.end(block), block > part.first());
      }
    }
  }

  int columns() {
    return product.columns();
  }

  int[] stepsA() {
    return stepsA;
  }

  int[] stepsB() {
    return stepsB;
  }

  @Override
  public String toString() {
    return form == null ? "plain loops" : "tiles of " + ROWS + "x" + form.width();
  }
}
