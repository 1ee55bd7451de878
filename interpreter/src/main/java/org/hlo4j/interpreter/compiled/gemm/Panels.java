package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * Some columns and steps of the right side as panels of the width of a tile: packed one after the
 * other, the last one padded to whole vectors, or not packed, in contiguous rows.
 */
final class Panels {
  private static final int STEPS_AT_ONCE = 32;
  private static final int STEPS_OF_PANEL = 1024;

  private static final int ROWS_AT_ONCE = 8;

  /** Padding of widened rows, which keeps them out of the same cache sets. */
  private static final int PADDING = 16;

  private final MicroKernelSet microKernels;
  private final GemmProblem product;
  private final Object array;
  private final int start;
  private final int stride;
  private final int j0;
  private final int j1;
  private final int k0;
  private final int k1;

  private Panels(
      MicroKernelSet microKernels,
      Object array,
      int start,
      int stride,
      int j0,
      int j1,
      int k0,
      int k1) {
    this.microKernels = microKernels;
    this.product = microKernels.product();
    this.array = array;
    this.start = start;
    this.stride = stride;
    this.j0 = j0;
    this.j1 = j1;
    this.k0 = k0;
    this.k1 = k1;
  }

  /** {@return the panels of columns j0 to j1 and steps k0 to k1, to be packed into a buffer} */
  static Panels of(
      MicroKernelSet microKernels, AlignedBuffer buffer, int j0, int j1, int k0, int k1) {
    return new Panels(microKernels, buffer.array(), buffer.start(), 0, j0, j1, k0, k1);
  }

  /** {@return whole panels in place; the rows of the right side have to be contiguous} */
  static Panels inPlace(MicroKernelSet microKernels, GemmMatrices matrices, int j0, int j1) {
    GemmProblem product = microKernels.product();
    int stride = product.stepsB().stride();
    int start = matrices.bBase() + j0;
    return new Panels(microKernels, matrices.b(), start, stride, j0, j1, 0, product.k());
  }

  /** {@return whole panels in contiguous rows, widened to an array} */
  static Panels widened(
      MicroKernelSet microKernels,
      GemmMatrices matrices,
      Object to,
      int j0,
      int j1,
      int k0,
      int k1) {
    int apart = microKernels.product().stepsB().stride();
    int stride = j1 - j0 + PADDING;
    Objects.requireNonNull(microKernels.widenings())
        .run(
            matrices.b(),
            matrices.bBase() + k0 * apart + j0,
            apart,
            k1 - k0,
            j1 - j0,
            to,
            0,
            stride);
    return new Panels(microKernels, to, 0, stride, j0, j1, k0, k1);
  }

  /** {@return the size of the array for widened panels} */
  static int widenedSize(int columns, int steps) {
    return steps * (columns + PADDING);
  }

  Object array() {
    return array;
  }

  /** {@return the stride of the rows of panels that are not packed; otherwise 0} */
  int stride() {
    return stride;
  }

  int count() {
    return Math.ceilDiv(j1 - j0, microKernels.shape().width());
  }

  /** {@return the first column of a panel} */
  int column(int panel) {
    return j0 + panel * microKernels.shape().width();
  }

  /** {@return the number of columns of a panel} */
  int columns(int panel) {
    return Math.min(microKernels.shape().width(), j1 - column(panel));
  }

  /** {@return the position of row {@code k} of a panel} */
  int position(int panel, int k) {
    int width = microKernels.shape().width();
    return stride != 0
        ? start + (k - k0) * stride + panel * width
        : start
            + panel * width * (k1 - k0)
            + (k - k0) * microKernels.roundUpToVectors(columns(panel));
  }

  /** {@return whether columns, not rows, are contiguous} */
  private boolean hasContiguousColumns() {
    return !product.hasContiguousRowsB() && product.stepsB().isContiguous();
  }

  private int chunks() {
    return hasContiguousColumns()
        ? count() * Math.ceilDiv(k1 - k0, STEPS_OF_PANEL)
        : Math.ceilDiv(k1 - k0, STEPS_AT_ONCE);
  }

  /** Packs all panels; threads share the work unless only one may do it. */
  void pack(GemmMatrices matrices, KernelContext context, boolean isSingleThreaded) {
    Parallel.forChunks(context, !isSingleThreaded, chunks(), chunk -> pack(matrices, chunk));
  }

  /** Packs all panels in this thread. */
  void pack(GemmMatrices matrices) {
    for (int chunk = 0; chunk < chunks(); chunk++) {
      pack(matrices, chunk);
    }
  }

  /**
   * Packs a chunk: some steps of one panel if columns are contiguous, otherwise some steps of all
   * panels. Either way it reads contiguous memory, a few columns or rows at a time.
   */
  private void pack(GemmMatrices matrices, int chunk) {
    if (hasContiguousColumns()) {
      int from = k0 + chunk / count() * STEPS_OF_PANEL;
      pack(matrices, chunk % count(), from, Math.min(k1, from + STEPS_OF_PANEL));
      return;
    }
    int from = k0 + chunk * STEPS_AT_ONCE;
    int to = Math.min(k1, from + STEPS_AT_ONCE);
    for (int k = from; k < to; k += ROWS_AT_ONCE) {
      int end = Math.min(to, k + ROWS_AT_ONCE);
      for (int panel = 0; panel < count(); panel++) {
        pack(matrices, panel, k, end);
      }
    }
  }

  private void pack(GemmMatrices matrices, int panel, int from, int to) {
    int width = microKernels.shape().width();
    int columns = columns(panel);
    int j = column(panel);
    int start = position(panel, from);
    int stride = microKernels.roundUpToVectors(columns);
    int leadingDimension = product.stepsB().stride();
    int at = matrices.bBase() + from * leadingDimension + j;
    @Nullable Widenings widenings = microKernels.widenings();
    if (widenings != null && !(matrices.b() instanceof float[])) {
      widenings.run(matrices.b(), at, leadingDimension, to - from, columns, array, start, stride);
    } else if (product.hasContiguousRowsB() && columns == width) {
      microKernels
          .copier()
          .run(
              matrices.b(),
              at,
              leadingDimension,
              0,
              array,
              0,
              0,
              array,
              start,
              width,
              to - from,
              false);
    } else {
      MatrixPart part =
          new MatrixPart(product.stepsB(), from, to, product.columnsB(), j, j + columns);
      MatrixCopies.of(microKernels.shape().accumulatorType())
          .gather(matrices.b(), matrices.bBase(), part, array, start, stride);
    }
  }
}
