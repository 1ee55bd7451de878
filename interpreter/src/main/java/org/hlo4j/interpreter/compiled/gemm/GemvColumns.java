package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

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
  private static final int MAX_GROUP_SIZE = 2;

  private final GemmProblem product;
  private final int lanes;
  private final int steps;
  private final int groupSize;

  /**
   * Creates the layout of columns with a constant stride, interleaved in groups of {@code lanes}
   * elements.
   */
  GemvColumns(GemmProblem product, int lanes) {
    this.product = product;
    this.lanes = lanes;
    this.steps = product.k() / lanes;
    this.groupSize = groupSize(product.columns());
  }

  /** {@return the number of columns in a group of some columns, except for the last one} */
  static int groupSize(int columns) {
    return Math.ceilDiv(columns, Math.ceilDiv(columns, MAX_GROUP_SIZE));
  }

  /** {@return the number of columns in a group, except for the last one} */
  int groupSize() {
    return groupSize;
  }

  int groupCount() {
    return Math.ceilDiv(product.columns(), groupSize);
  }

  /** {@return the number of columns in the given group} */
  int columnCount(int group) {
    return Math.min(groupSize, product.columns() - group * groupSize);
  }

  boolean isInPlace() {
    return product.columns() == 1 && product.stepsB().isContiguous();
  }

  /** {@return the number of elements that {@link #pack} writes} */
  int size() {
    return product.batches() * product.columns() * steps * lanes;
  }

  /** {@return the position of a group at a step} */
  int position(int batch, int group, int step) {
    if (isInPlace()) {
      return product.batchesB().at(batch) + product.columnsB().at(0) + step * lanes;
    }
    int before = batch * product.columns() + group * groupSize;
    return (before * steps + step * columnCount(group)) * lanes;
  }

  void pack(MatrixCopies copies, Object from, Object to, KernelContext context) {
    Parallel.forChunks(
        context,
        product.batches() > 1,
        product.batches(),
        batch -> {
          for (int group = 0; group < groupCount(); group++) {
            pack(copies, from, to, batch, group);
          }
        });
  }

  private void pack(MatrixCopies copies, Object from, Object to, int batch, int group) {
    int stride = product.stepsB().stride();
    DimensionOffsets rows = DimensionOffsets.strided(steps, lanes * stride);
    MatrixPart column =
        new MatrixPart(rows, 0, steps, DimensionOffsets.strided(lanes, stride), 0, lanes);
    for (int x = 0; x < columnCount(group); x++) {
      int base = product.batchesB().at(batch) + product.columnsB().at(group * groupSize + x);
      int start = position(batch, group, 0) + x * lanes;
      copies.gather(from, base, column, to, start, columnCount(group) * lanes);
    }
  }
}
