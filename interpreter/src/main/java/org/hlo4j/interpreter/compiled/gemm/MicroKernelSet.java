package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Packing;
import org.jspecify.annotations.Nullable;

/** The tiles that a product needs: full ones, and smaller ones for the edges of the result. */
final class MicroKernelSet {
  /**
   * The number of rows of a full tile. Its accumulators, one vector for each row and the vectors of
   * a row of the panel all have registers, in whatever order C2 schedules the instructions. With a
   * sixth row, some orders need 34 of the 32 registers, and without G1 C2 chooses such an order: a
   * quarter slower.
   */
  static final int ROWS = 5;

  /**
   * The stride of rows, if the left side is packed by rows. The padding keeps rows out of the same
   * cache sets.
   */
  static final int STRIDE_OF_ROWS = KBlocks.MAX + 16;

  /** The stride of steps, if the left side is packed by steps, each a contiguous column. */
  static final int STRIDE_OF_STEPS = 96 + 16;

  /**
   * The maximum number of rows for which the right side is read in place, in the order of memory.
   */
  static final int FEW_ROWS = ROWS;

  private final GemmProblem product;
  private final MicroKernelShape shape;
  private final boolean inPlace;
  private final boolean leftByRows;
  private final @Nullable MicroKernel[][] microKernels;
  private final @Nullable Widenings widenings;
  private @Nullable MicroKernel copier;
  private @Nullable MicroKernel rightInPlace;
  private final boolean readsRightInPlace;
  private volatile boolean ready;

  MicroKernelSet(GemmConfig config, GemmPlan plan) {
    this.product = config.product();
    this.widenings = plan.widens() ? config.right() : null;
    this.inPlace = plan.left() == Packing.IN_PLACE;
    this.leftByRows = inPlace || product.hasRunsOfSteps();
    this.shape =
        new MicroKernelShape(
            config.accumulatorType(),
            plan.tile().lanes(),
            plan.tile().rows(),
            plan.tile().vectors(),
            leftByRows ? 1 : STRIDE_OF_STEPS,
            true,
            false,
            1);
    this.readsRightInPlace = plan.right() == Packing.IN_PLACE;
    this.microKernels = new @Nullable MicroKernel[ROWS + 1][shape.vectors() + 1];
  }

  GemmProblem product() {
    return product;
  }

  /** {@return the conversion of a right side of a narrow type; otherwise null} */
  @Nullable Widenings widenings() {
    return widenings;
  }

  /**
   * {@return whether panels of the right side are read in contiguous rows, not packed, since there
   * are few rows}
   */
  boolean readsRightInPlace() {
    return readsRightInPlace;
  }

  /** {@return the tile of all rows for panels that are not packed} */
  MicroKernel inPlace() {
    return Objects.requireNonNull(rightInPlace);
  }

  /** {@return the shape of a full tile} */
  MicroKernelShape shape() {
    return shape;
  }

  /** {@return whether the left side is read in place, without packing} */
  boolean isInPlace() {
    return inPlace;
  }

  /** {@return whether the left side is stored by rows, packed or in place, and not by steps} */
  boolean isLeftByRows() {
    return leftByRows;
  }

  /** {@return the number of columns rounded up to whole vectors} */
  int roundUpToVectors(int columns) {
    return Math.ceilDiv(columns, shape.lanes()) * shape.lanes();
  }

  /**
   * {@return whether all tiles are ready} Starts the warm-up of those that are not, if there is
   * enough work for them.
   *
   * @param work the number of multiply-adds that are to be done
   */
  boolean isReady(double work) {
    if (!ready) {
      int run = inPlace ? product.rowsA().stridedRunLength() : product.rows();
      int wholePanels = product.columns() / shape.width();
      boolean all =
          MicroKernels.fill(
              microKernels,
              new int[] {Math.min(run, ROWS), inPlace ? run % ROWS : 0},
              new int[] {
                wholePanels == 0 ? 0 : shape.vectors(),
                Math.ceilDiv(product.columns() % shape.width(), shape.lanes())
              },
              shape::withRowsAndVectors,
              work);
      if (readsRightInPlace) {
        MicroKernelShape needed = shape.withRowsAndVectors(product.rows(), shape.vectors());
        rightInPlace = MicroKernels.getIfReady(needed.inPlace(), work);
        all &= rightInPlace != null;
      }
      copier = MicroKernels.getIfReady(shape.copier(), work);
      ready = all && copier != null;
    }
    return ready;
  }

  /** {@return whether the tile for {@code rows} rows has exactly that number of rows} */
  boolean isExact(int rows) {
    return inPlace || rows == Math.min(product.rows(), ROWS);
  }

  /** {@return a tile with at least the given numbers of rows and columns} */
  MicroKernel microKernel(int rows, int columns) {
    int maxRows = inPlace ? rows : Math.min(product.rows(), ROWS);
    return Objects.requireNonNull(microKernels[maxRows][Math.ceilDiv(columns, shape.lanes())]);
  }

  /** {@return the kernel that copies rows of the width of a full tile} */
  MicroKernel copier() {
    return Objects.requireNonNull(copier);
  }
}
