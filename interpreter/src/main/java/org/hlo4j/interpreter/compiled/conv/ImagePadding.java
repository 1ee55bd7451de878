package org.hlo4j.interpreter.compiled.conv;

import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.interpreter.compiled.gemm.DimensionOffsets;
import org.hlo4j.interpreter.compiled.gemm.DotKernels;
import org.hlo4j.interpreter.compiled.gemm.MatrixCopies;
import org.hlo4j.interpreter.compiled.gemm.MatrixPart;
import org.hlo4j.interpreter.compiled.gemm.ParallelChunks;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * Copies an array into a larger one: with zeros around, between, or cut at the edges.
 *
 * @param sizes the sizes of the array, dimensions in the order of the result
 * @param strides how far apart neighbours along each of them lie
 * @param low zeros before the first element, for each dimension; negative for elements left out
 * @param dilation how far apart neighbours come to lie
 * @param padded the sizes of the result
 */
record ImagePadding(Dims sizes, Dims strides, Dims low, Dims dilation, Dims padded) {
  private static final int AT_ONCE = 1 << 14;
  private static final DimensionOffsets ONE = DimensionOffsets.even(1, 1);

  /** That of an array that stays as it is. */
  static ImagePadding none(Dims sizes) {
    Dims zeros = Dims.filled(sizes.count(), 0);
    Dims ones = Dims.filled(sizes.count(), 1);
    return new ImagePadding(sizes, DotKernels.strides(sizes), zeros, ones, sizes);
  }

  /** Whether nothing changes. */
  boolean isNone() {
    return isMove() && strides.equals(DotKernels.strides(sizes));
  }

  /** Whether all that may change is the order. */
  boolean isMove() {
    return IntStream.range(0, sizes.count()).allMatch(this::isSame);
  }

  /** The result, in an array that may be larger. */
  void run(MatrixCopies movement, Object from, Object to, KernelContext context) {
    int split = lastChanged();
    int rows = (int) padded.subList(0, split).product();
    int length = (int) padded.subList(split, padded.count()).product();
    int rowsAtOnce = Math.max(1, AT_ONCE / Math.max(1, length));
    ParallelChunks.run(
        context,
        false,
        Math.ceilDiv(rows, rowsAtOnce),
        chunk -> {
          for (int r = chunk * rowsAtOnce; r < Math.min(rows, (chunk + 1) * rowsAtOnce); r++) {
            row(movement, from, to, r, split, length);
          }
        });
  }

  /** A dimension behind which nothing changes, so that all there is copied at once. */
  private int lastChanged() {
    boolean isDense = strides.equals(DotKernels.strides(sizes));
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

  private void row(MatrixCopies movement, Object from, Object to, int row, int split, int length) {
    int start = row * length;
    long source = source(row, split);
    int unit = (int) sizes.subList(split + 1, sizes.count()).product();
    int zeros = (int) low.get(split);
    int apart = (int) dilation.get(split);
    int first = zeros >= 0 ? 0 : Math.ceilDiv(-zeros, apart);
    long end = Math.ceilDiv(padded.get(split) - zeros, apart);
    int count = (int) Math.min(sizes.get(split), end) - first;
    if (source < 0 || count <= 0) {
      movement.clear(to, start, start + length);
      return;
    }
    int at = (int) (source + first * strides.get(split));
    int place = start + (zeros + first * apart) * unit;
    movement.clear(to, start, apart == 1 ? place : start + length);
    Dims inner = Dims.range(split + 1, sizes.count());
    DimensionOffsets rows = DimensionOffsets.even(count, (int) strides.get(split));
    DimensionOffsets columns = DimensionOffsets.of(sizes.at(inner), strides.at(inner));
    boolean isWhole = apart == 1 && columns.isContiguous() && strides.get(split) == unit;
    if (isWhole) {
      int all = count * unit;
      MatrixPart part = new MatrixPart(ONE, 0, 1, DimensionOffsets.even(all, 1), 0, all);
      movement.gather(from, at, part, to, place, 0);
    } else {
      MatrixPart part = new MatrixPart(rows, 0, count, columns, 0, unit);
      movement.gather(from, at, part, to, place, apart * unit);
    }
    if (apart == 1) {
      movement.clear(to, place + count * unit, start + length);
    }
  }

  /** Whether an element of the result is a zero that no element of the array is copied to. */
  boolean isPadded(int position) {
    return source(position, padded.count()) < 0;
  }

  /** Where the row lies that is copied to a row of the result; negative if there is none. */
  private long source(int row, int split) {
    long source = 0;
    for (int i = split - 1, rest = row; i >= 0; i--) {
      long index = rest % padded.get(i) - low.get(i);
      rest = (int) (rest / padded.get(i));
      boolean isThere = index >= 0 && index % dilation.get(i) == 0;
      if (!isThere || index / dilation.get(i) >= sizes.get(i)) {
        return -1;
      }
      source += index / dilation.get(i) * strides.get(i);
    }
    return source;
  }
}
