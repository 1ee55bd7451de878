package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * Some columns and steps of the right side, packed into panels of the width of a tile. The last
 * panel is padded to whole vectors.
 */
final class PackedRhs {
  private static final int STEPS_AT_ONCE = 32;
  private static final int STEPS_OF_PANEL = 1024;

  private static final int ROWS_AT_ONCE = 8;

  private final MicroKernelSet microKernels;
  private final GemmProblem product;
  private final AlignedBuffer buffer;
  private final int j0;
  private final int j1;
  private final int k0;
  private final int k1;
  private final boolean hasContiguousRows;

  PackedRhs(
      MicroKernelSet microKernels,
      GemmProblem product,
      AlignedBuffer buffer,
      int j0,
      int j1,
      int k0,
      int k1) {
    this.microKernels = microKernels;
    this.product = product;
    this.buffer = buffer;
    this.j0 = j0;
    this.j1 = j1;
    this.k0 = k0;
    this.k1 = k1;
    this.hasContiguousRows =
        product.columnsB().isContiguous() && product.stepsB().hasConstantStride();
  }

  Object array() {
    return buffer.array();
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
    int width = microKernels.roundUpToVectors(columns(panel));
    return buffer.start() + panel * microKernels.shape().width() * (k1 - k0) + (k - k0) * width;
  }

  /** {@return whether columns, not rows, are contiguous} */
  private boolean hasContiguousColumns() {
    return !hasContiguousRows && product.stepsB().isContiguous();
  }

  /** Packs all chunks; threads share them unless only one may work. */
  void pack(GemmMatrices matrices, KernelContext context, boolean isSingleThreaded) {
    Parallel.forChunks(context, !isSingleThreaded, chunks(), chunk -> pack(matrices, chunk));
  }

  int chunks() {
    return hasContiguousColumns()
        ? count() * Math.ceilDiv(k1 - k0, STEPS_OF_PANEL)
        : Math.ceilDiv(k1 - k0, STEPS_AT_ONCE);
  }

  /**
   * Packs a chunk: some steps of one panel if columns are contiguous, otherwise some steps of all
   * panels. Either way it reads contiguous memory, a few columns or rows at a time.
   */
  void pack(GemmMatrices matrices, int chunk) {
    if (hasContiguousColumns()) {
      int from = k0 + chunk / count() * STEPS_OF_PANEL;
      pack(matrices, chunk % count(), from, Math.min(k1, from + STEPS_OF_PANEL));
    } else {
      packSteps(matrices, chunk);
    }
  }

  /** Packs some steps of all panels, a few rows at a time. */
  private void packSteps(GemmMatrices matrices, int chunk) {
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
    if (hasContiguousRows && columns == width) {
      int leadingDimension = product.stepsB().stride();
      int at = matrices.bBase() + from * leadingDimension + j;
      microKernels
          .copier()
          .run(
              matrices.b(),
              at,
              leadingDimension,
              0,
              array(),
              0,
              0,
              array(),
              start,
              width,
              to - from,
              false);
      return;
    }
    MatrixPart part =
        new MatrixPart(product.stepsB(), from, to, product.columnsB(), j, j + columns);
    MatrixCopies.of(microKernels.shape().accumulatorType())
        .gather(
            matrices.b(),
            matrices.bBase(),
            part,
            array(),
            start,
            microKernels.roundUpToVectors(columns));
  }
}
