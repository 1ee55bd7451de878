package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;

/**
 * The columns of a {@link Gemv} in the layout that its tiles read: a few columns are packed
 * together, {@code lanes} elements of each interleaved. A single contiguous column is read in
 * place.
 */
final class GemvColumns {
  /**
   * The maximum number of columns in a group. With more of them, tiles would have fewer rows, and
   * memory is read faster in four rows than in two.
   */
  private static final int MAX_AT_ONCE = 2;

  private final GemmProblem product;
  private final int lanes;
  private final int steps;
  private final int atOnce;

  /**
   * Creates the layout of columns with a constant stride, interleaved in groups of {@code lanes}
   * elements.
   */
  GemvColumns(GemmProblem product, int lanes) {
    this.product = product;
    this.lanes = lanes;
    this.steps = product.k() / lanes;
    int groups = Math.ceilDiv(product.columns(), MAX_AT_ONCE);
    this.atOnce = Math.ceilDiv(product.columns(), groups);
  }

  /** {@return the number of columns in a group, except for the last one} */
  int atOnce() {
    return atOnce;
  }

  int groups() {
    return Math.ceilDiv(product.columns(), atOnce);
  }

  /** {@return the number of columns in the given group} */
  int count(int group) {
    return Math.min(atOnce, product.columns() - group * atOnce);
  }

  boolean isInPlace() {
    return product.columns() == 1 && product.stepsB().isContiguous();
  }

  /** {@return the number of elements that {@link #pack} writes} */
  int size() {
    return product.batches() * product.columns() * steps * lanes;
  }

  /** {@return the position of a group at a step} */
  int place(int batch, int group, int step) {
    if (isInPlace()) {
      return product.batchesB().at(batch) + product.columnsB().at(0) + step * lanes;
    }
    int before = batch * product.columns() + group * atOnce;
    return (before * steps + step * count(group)) * lanes;
  }

  void pack(MatrixCopies movement, Object from, Object to, KernelContext context) {
    ParallelChunks.run(
        context,
        product.batches() == 1,
        product.batches(),
        batch -> {
          for (int group = 0; group < groups(); group++) {
            pack(movement, from, to, batch, group);
          }
        });
  }

  private void pack(MatrixCopies movement, Object from, Object to, int batch, int group) {
    int stride = product.stepsB().stride();
    DimensionOffsets rows = DimensionOffsets.even(steps, lanes * stride);
    MatrixPart column =
        new MatrixPart(rows, 0, steps, DimensionOffsets.even(lanes, stride), 0, lanes);
    for (int x = 0; x < count(group); x++) {
      int base = product.batchesB().at(batch) + product.columnsB().at(group * atOnce + x);
      int start = place(batch, group, 0) + x * lanes;
      movement.gather(from, base, column, to, start, count(group) * lanes);
    }
  }
}
