package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * Some columns and steps of the right side as panels of the width of a tile: packed one after the
 * other, the last one padded to whole vectors, or the parts of common rows, in place or copied.
 *
 * @param tiles the tiles that read them
 * @param array the array
 * @param start the position of the first element
 * @param rowStride the stride of the rows; 0 if panels are packed one after the other
 * @param j0 the first column
 * @param j1 the end of the columns, exclusive
 * @param k0 the first step
 * @param k1 the end of the steps, exclusive
 */
record Panels(
    MicroKernelSet tiles, Object array, int start, int rowStride, int j0, int j1, int k0, int k1) {
  private static final int STEPS_AT_ONCE = 32;
  private static final int STEPS_OF_PANEL = 1024;

  /** Padding of copied rows, which keeps them out of the same cache sets. */
  private static final int PADDING = 16;

  /** {@return the stride of copied rows; 0 if panels are packed one after the other} */
  private static int rowStride(MicroKernelSet tiles, int columns) {
    return tiles.shape.isPacked() ? 0 : tiles.roundUpToVectors(columns) + PADDING;
  }

  /** {@return the size of the buffer for {@link #of}} */
  static int size(MicroKernelSet tiles, int columns, int steps) {
    return steps * Math.max(tiles.roundUpToVectors(columns), rowStride(tiles, columns));
  }

  /** {@return the panels of columns j0 to j1 and steps k0 to k1, to be packed into a buffer} */
  static Panels of(MicroKernelSet tiles, AlignedBuffer buffer, int j0, int j1, int k0, int k1) {
    int rowStride = rowStride(tiles, j1 - j0);
    return new Panels(tiles, buffer.array(), buffer.start(), rowStride, j0, j1, k0, k1);
  }

  /** {@return the panels of columns up to j1 in place, where rows have to be contiguous} */
  static Panels inPlace(MicroKernelSet tiles, GemmMatrices matrices, int j1) {
    GemmProblem product = tiles.product;
    int rowStride = product.stepsB().stride();
    return new Panels(tiles, matrices.b(), matrices.bBase(), rowStride, 0, j1, 0, product.k());
  }

  /** {@return the number of columns of the panel from column {@code j} on} */
  int columns(int j) {
    return Math.min(tiles.shape.width(), j1 - j);
  }

  /** {@return the stride of the rows of the panel from column {@code j} on} */
  int stride(int j) {
    return rowStride == 0 ? tiles.roundUpToVectors(columns(j)) : rowStride;
  }

  /** {@return the position of row {@code k} of the panel from column {@code j} on} */
  int position(int j, int k) {
    return start + (j - j0) * (rowStride == 0 ? k1 - k0 : 1) + (k - k0) * stride(j);
  }

  /**
   * Packs all panels in chunks: some steps of one panel if columns, not rows, are contiguous,
   * otherwise some steps of all panels. Either way it reads contiguous memory, some columns or rows
   * at a time.
   */
  void pack(GemmMatrices matrices, KernelContext context, boolean isParallel) {
    GemmProblem product = tiles.product;
    boolean byColumns = !product.hasContiguousRowsB() && product.stepsB().isContiguous();
    int width = rowStride == 0 ? tiles.shape.width() : j1 - j0;
    int steps = byColumns ? STEPS_OF_PANEL : STEPS_AT_ONCE;
    int columnBlocks = byColumns ? Math.ceilDiv(j1 - j0, width) : 1;
    @Nullable Widenings copies = tiles.rowCopies(matrices);
    new Parallel(context, isParallel, columnBlocks * Math.ceilDiv(k1 - k0, steps))
        .forEach(chunk -> {
          int from = k0 + chunk / columnBlocks * steps;
          int to = Math.min(k1, from + steps);
          int first = j0 + chunk % columnBlocks * width;
          int end = byColumns ? first + 1 : j1;
          for (int j = first; j < end; j += width) {
            pack(matrices, copies, j, width, from, to);
          }
        });
  }

  private void pack(
      GemmMatrices matrices, @Nullable Widenings copies, int j, int width, int from, int to) {
    GemmProblem product = tiles.product;
    int columns = Math.min(width, j1 - j);
    int target = position(j, from);
    if (copies != null) {
      int leadingDimension = product.stepsB().stride();
      int at = matrices.bBase() + from * leadingDimension + j;
      copies.run(matrices.b(), at, leadingDimension, to - from, columns, array, target, stride(j));
    } else {
      MatrixPart part =
          new MatrixPart(product.stepsB(), from, to, product.columnsB(), j, j + columns);
      tiles.copies().gather(matrices.b(), matrices.bBase(), part, array, target, stride(j));
    }
  }
}
