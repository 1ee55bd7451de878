package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.jspecify.annotations.Nullable;

/**
 * Computes parts of a product column by column, {@code c[i, j] = sum over k of a[i, k, j] * b[k,
 * j]}, where columns are contiguous in a and b: by tiles once those are ready, until then by plain
 * loops of the same order of operations. Columns that fill no vector are computed with some of
 * those before them once more.
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

  /** Of a product; from each multiple of a run, so many rows are evenly spaced. */
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
   * How many are evenly spaced in both of two tables: from each multiple of this number that many.
   */
  public static int evenRun(DimensionOffsets some, DimensionOffsets others) {
    int one = some.evenRun();
    int other = others.evenRun();
    return others.isEven() || other % one == 0 ? one : one % other == 0 ? other : 1;
  }

  /** Whether all tiles are; if not, they are being made. */
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

  /** Where the columns begin that are left beside whole tiles: a whole number of vectors. */
  private int lastColumns(MicroKernelShape form) {
    int left = product.columns() % form.width();
    return product.columns() - Math.ceilDiv(left, form.lanes()) * form.lanes();
  }

  /** All blocks of a row and its columns before the next: for a few steps. */
  public void byRows(DepthwisePart part, boolean ready) {
    if (ready && form != null) {
      columns(form, part, 0, wholeColumns(form));
      columns(form, part, lastColumns(form), product.columns());
    } else {
      plain(part);
    }
  }

  /** All rows and columns of a block before the next, so that it is read once: for many steps. */
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
