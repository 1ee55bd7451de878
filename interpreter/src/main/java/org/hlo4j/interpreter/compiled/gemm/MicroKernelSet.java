package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import org.hlo4j.interpreter.compiled.codegen.Machine;
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

  /** The same for {@link #hasFixedStrides fixed strides}, whose positions take no registers. */
  static final int ROWS_OF_FIXED_STRIDES = 6;

  /** The stride of steps, if the left side is packed by steps, each a contiguous column. */
  static final int STRIDE_OF_STEPS = PackedLhs.MAX_ROWS_PACKED_BY_STEPS + PackedLhs.PADDING;

  final GemmProblem product;
  final GemmPlan plan;

  /** The shape of a full tile. */
  final MicroKernelShape shape;

  /** Whether the left side is read in place, without packing. */
  final boolean isInPlace;

  /** Whether the left side is stored by rows, packed or in place, and not by steps. */
  final boolean isLeftByRows;

  /** The conversion of a right side of a narrow type; otherwise null. */
  private final @Nullable Widenings widenings;

  private final @Nullable MicroKernel[][] microKernels;
  private volatile boolean ready;

  MicroKernelSet(GemmConfig config, GemmPlan plan) {
    this.product = config.product();
    this.plan = plan;
    this.widenings = plan.widens() ? config.right() : null;
    this.isInPlace = plan.left() == Packing.IN_PLACE;
    this.isLeftByRows = isInPlace || product.hasRunsOfSteps();
    int stepStride = isLeftByRows ? 1 : STRIDE_OF_STEPS;
    this.shape =
        new MicroKernelShape(
            config.accumulatorType(),
            plan.tile().lanes(),
            plan.tile().rows(),
            plan.tile().vectors(),
            hasFixedStrides(isInPlace, plan.tile().lanes() * config.accumulatorType().bits())
                ? isLeftByRows ? PackedLhs.fixedRowStride(product.k()) : 1
                : 0,
            isInPlace && product.stepsA().stride() != 1 ? 0 : stepStride,
            plan.right() != Packing.IN_PLACE);
    this.microKernels = new @Nullable MicroKernel[shape.rows() + 1][shape.vectors() + 1];
  }

  /**
   * {@return whether the code of tiles knows the stride of the left side's rows, which are packed
   * then} It saves a register and an operation for each row. If there are many registers, C2 may
   * load so early that it spills sums.
   */
  static boolean hasFixedStrides(boolean isInPlace, int vectorBits) {
    return !isInPlace && Machine.registers(vectorBits) < 32;
  }

  /** {@return whether the right side has a narrow type and is not widened yet} */
  boolean widens(GemmMatrices matrices) {
    return widenings != null && !(matrices.b() instanceof float[]);
  }

  /** {@return the copies, with widening, of the right side's rows; null if a row is scattered} */
  @Nullable Widenings rowCopies(GemmMatrices matrices) {
    return widens(matrices)
        ? widenings
        : product.hasContiguousRowsB() ? Widenings.copies(shape.accumulatorType()) : null;
  }

  /** {@return whether tiles read the right side in place} */
  boolean readsRightInPlace(GemmMatrices matrices) {
    return !shape.isPacked() && !widens(matrices);
  }

  /** {@return the copies of elements of the type of the tiles} */
  MatrixCopies copies() {
    return MatrixCopies.of(shape.accumulatorType());
  }

  /** {@return the workspace of the current thread} */
  ThreadWorkspace workspace() {
    return ThreadWorkspace.of(shape.accumulatorType());
  }

  /** {@return the number of columns rounded up to whole vectors} */
  int roundUpToVectors(int columns) {
    return (columns + shape.lanes() - 1) & -shape.lanes();
  }

  /**
   * {@return the number of rows of which each run, but for its last tile, consists of full ones}
   */
  int rowRun() {
    return isInPlace ? product.rowsA().stridedRunLength() : product.rows();
  }

  /**
   * {@return whether all tiles are ready, and the copies that pack a large right side for them}
   * Starts the warm-up of those that are not, if there is enough work for them.
   *
   * @param work the number of multiply-adds that are to be done
   */
  boolean isReady(double work) {
    if (!ready) {
      int last = product.columns() % shape.width();
      boolean all = !shape.isPacked() || arePackingCopiesReady();
      for (int rows : new int[] {Math.min(rowRun(), shape.rows()), rowRun() % shape.rows()}) {
        all &= product.columns() < shape.width() || isReady(rows, shape.vectors(), work);
        all &= isReady(rows, Math.ceilDiv(last, shape.lanes()), work);
      }
      ready = all;
    }
    return ready;
  }

  /** {@return whether packing is fast, and does not mistake slow copies for misaligned ones} */
  private boolean arePackingCopiesReady() {
    long elements = (long) product.k() * product.columns();
    return Widenings.copies(shape.accumulatorType()).isReadyFor(elements)
        && (widenings == null || widenings.isReadyFor(elements));
  }

  private boolean isReady(int rows, int vectors, double work) {
    if (rows > 0 && vectors > 0 && microKernels[rows][vectors] == null) {
      microKernels[rows][vectors] =
          MicroKernels.getIfReady(shape.withRowsAndVectors(rows, vectors), work);
    }
    return rows == 0 || vectors == 0 || microKernels[rows][vectors] != null;
  }

  /** {@return the tile of some rows and columns} */
  MicroKernel microKernel(int rows, int columns) {
    return Objects.requireNonNull(microKernels[rows][Math.ceilDiv(columns, shape.lanes())]);
  }
}
