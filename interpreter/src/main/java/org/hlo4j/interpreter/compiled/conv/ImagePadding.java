package org.hlo4j.interpreter.compiled.conv;

import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.gemm.DimensionOffsets;
import org.hlo4j.interpreter.compiled.gemm.MatrixCopies;
import org.hlo4j.interpreter.compiled.gemm.MatrixPart;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A copy of an array into a larger one, with zeros around and between its elements, or cropped at
 * the edges. The dimensions may have another order.
 *
 * @param sizes the sizes of the array, with dimensions in the order of the result
 * @param strides the strides of the array, in the same order
 * @param low the number of zeros before the first element in each dimension; negative to crop
 *     elements
 * @param dilation the distance in the result of elements that are neighbours in the array
 * @param padded the sizes of the result
 */
record ImagePadding(Dims sizes, Dims strides, Dims low, Dims dilation, Dims padded) {
  private static final DimensionOffsets ONE = DimensionOffsets.strided(1, 1);

  /** {@return the padding that leaves an array as it is} */
  static ImagePadding none(Dims sizes) {
    Dims zeros = Dims.filled(sizes.count(), 0);
    Dims ones = Dims.filled(sizes.count(), 1);
    return new ImagePadding(sizes, sizes.rowMajorStrides(), zeros, ones, sizes);
  }

  /** {@return whether the result equals the array} */
  boolean isNone() {
    return isTransposeOnly() && strides.equals(sizes.rowMajorStrides());
  }

  /** {@return whether nothing but the order of the dimensions changes} */
  boolean isTransposeOnly() {
    return IntStream.range(0, sizes.count()).allMatch(this::isSame);
  }

  /** Writes the result to an array, which may be larger. */
  void run(MatrixCopies copies, Object from, Object to, KernelContext context) {
    int split = lastChanged();
    int rows = (int) padded.subList(0, split).product();
    int length = (int) padded.subList(split, padded.count()).product();
    int rowsAtOnce = Math.max(1, Machine.COPY_GRAIN / Math.max(1, length));
    Parallel.forRange(
        context,
        rows,
        rowsAtOnce,
        (first, end) -> {
          for (int r = first; r < end; r++) {
            row(copies, from, to, r, split, length);
          }
        });
  }

  /**
   * {@return a dimension after which nothing changes, so that all inner ones are copied at once}
   */
  private int lastChanged() {
    boolean isDense = strides.equals(sizes.rowMajorStrides());
    int last = sizes.count() - 1;
    while (last > 0 && isSame(last) && (isDense || last == sizes.count() - 1)) {
      last--;
    }
    return last;
  }

  private boolean isSame(int dimension) {
    return sizes.get(dimension) == padded.get(dimension)
        && low.get(dimension) == 0
        && dilation.get(dimension) == 1;
  }

  private void row(MatrixCopies copies, Object from, Object to, int row, int split, int length) {
    int start = row * length;
    long source = source(row, split);
    int unit = (int) sizes.subList(split + 1, sizes.count()).product();
    long zeros = low.get(split);
    long apart = dilation.get(split);
    long first = zeros >= 0 ? 0 : Math.ceilDiv(-zeros, apart);
    long end = Math.min(sizes.get(split), Math.ceilDiv(padded.get(split) - zeros, apart));
    if (source < 0 || first >= end) {
      copies.clear(to, start, start + length);
      return;
    }
    int count = (int) (end - first);
    int spacing = count == 1 ? 1 : (int) apart;
    int at = (int) (source + first * strides.get(split));
    int position = start + (int) (zeros + first * apart) * unit;
    copies.clear(to, start, spacing == 1 ? position : start + length);
    Dims inner = Dims.range(split + 1, sizes.count());
    DimensionOffsets rows = DimensionOffsets.strided(count, (int) strides.get(split));
    DimensionOffsets columns = DimensionOffsets.of(sizes.at(inner), strides.at(inner));
    boolean isWhole = spacing == 1 && columns.isContiguous() && strides.get(split) == unit;
    if (isWhole) {
      int all = count * unit;
      MatrixPart part = new MatrixPart(ONE, 0, 1, DimensionOffsets.strided(all, 1), 0, all);
      copies.gather(from, at, part, to, position, 0);
    } else {
      MatrixPart part = new MatrixPart(rows, 0, count, columns, 0, unit);
      copies.gather(from, at, part, to, position, spacing * unit);
    }
    if (spacing == 1) {
      copies.clear(to, position + count * unit, start + length);
    }
  }

  /**
   * {@return whether an element of the result is a zero, to which no element of the array is
   * copied}
   */
  boolean isPadded(int position) {
    return source(position, padded.count()) < 0;
  }

  /**
   * {@return the position of the row that is copied to a row of the result; negative if there is
   * none}
   */
  private long source(int row, int split) {
    long source = 0;
    for (int i = split - 1, remaining = row; i >= 0; i--) {
      long index = remaining % padded.get(i) - low.get(i);
      remaining = (int) (remaining / padded.get(i));
      boolean isElement = index >= 0 && index % dilation.get(i) == 0;
      if (!isElement || index / dilation.get(i) >= sizes.get(i)) {
        return -1;
      }
      source += index / dilation.get(i) * strides.get(i);
    }
    return source;
  }
}
