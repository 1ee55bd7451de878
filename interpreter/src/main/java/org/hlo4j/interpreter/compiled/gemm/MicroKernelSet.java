package org.hlo4j.interpreter.compiled.gemm;

import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.jspecify.annotations.Nullable;

/** The tiles that a product needs: whole ones, and those for what is left at its edges. */
final class MicroKernelSet {
  /**
   * How many rows a whole tile has: its sums, a vector for each of them and those of a row of the
   * panel all have registers, in whatever order C2 puts the instructions. A sixth row needs 34 of
   * the 32 in some orders, and without G1 that is what C2 makes of it: a quarter slower.
   */
  static final int ROWS = 5;

  /** How far apart rows lie, if the left side is packed by rows; not in the same cache sets. */
  static final int STRIDE_OF_ROWS = KBlocks.MAX + 16;

  /** How many rows are contiguous, if the left side is packed by steps. */
  static final int STRIDE_OF_STEPS = 96 + 16;

  private static final int SHORT_RUN = 8;

  private final GemmProblem product;
  private final MicroKernelShape form;
  private final boolean inPlace;
  private final boolean leftByRows;
  private final @Nullable MicroKernel[][] tiles;
  private @Nullable MicroKernel copier;
  private volatile boolean ready;

  MicroKernelSet(AccumulatorType carrier, GemmProblem product, boolean inPlace) {
    this.product = product;
    this.inPlace = inPlace;
    this.leftByRows =
        inPlace || product.stepsA().run() >= SHORT_RUN || product.rowsA().run() < SHORT_RUN;
    this.form =
        new MicroKernelShape(
            carrier,
            VectorSupport.bits() / carrier.bits(),
            ROWS,
            VectorSupport.bits() == 512 ? 4 : 2,
            leftByRows ? 1 : STRIDE_OF_STEPS,
            true,
            0,
            1);
    this.tiles = new @Nullable MicroKernel[ROWS + 1][form.vectors() + 1];
  }

  /** The whole tile. */
  MicroKernelShape form() {
    return form;
  }

  /** Whether the left side is read where it lies. */
  boolean isInPlace() {
    return inPlace;
  }

  /** Whether the left side lies by rows, packed or in place, not by steps. */
  boolean isLeftByRows() {
    return leftByRows;
  }

  /** The columns filled up to whole vectors. */
  int padded(int columns) {
    return Math.ceilDiv(columns, form.lanes()) * form.lanes();
  }

  /** Whether all are; if not, they are being made. */
  boolean isReady() {
    if (!ready) {
      boolean all = true;
      for (MicroKernelShape needed : forms()) {
        MicroKernel tile = MicroKernels.ready(needed);
        tiles[needed.rows()][needed.vectors()] = tile;
        all &= tile != null;
      }
      copier = MicroKernels.ready(form.copier());
      ready = all && copier != null;
    }
    return ready;
  }

  private Set<MicroKernelShape> forms() {
    Set<MicroKernelShape> forms = new HashSet<>();
    int run = inPlace ? product.rowsA().evenRun() : product.rows();
    for (int rows : new int[] {Math.min(run, ROWS), inPlace ? run % ROWS : 0}) {
      for (int columns : new int[] {form.width(), product.columns() % form.width()}) {
        if (rows > 0 && columns > 0 && columns <= product.columns()) {
          forms.add(form.part(rows, Math.ceilDiv(columns, form.lanes())));
        }
      }
    }
    return forms;
  }

  /** Whether the tile of so many rows has no more of them. */
  boolean isWhole(int rows) {
    return inPlace || rows == Math.min(product.rows(), ROWS);
  }

  /** A tile of at least so many rows and columns. */
  MicroKernel tile(int rows, int columns) {
    int most = inPlace ? rows : Math.min(product.rows(), ROWS);
    return Objects.requireNonNull(tiles[most][Math.ceilDiv(columns, form.lanes())]);
  }

  /** What copies rows as long as a whole tile is wide. */
  MicroKernel copier() {
    return Objects.requireNonNull(copier);
  }

  @Override
  public String toString() {
    return (inPlace ? "in place, " : "")
        + ("tiles of " + form.rows() + "x" + form.width())
        + (", vectors of " + form.lanes());
  }
}
