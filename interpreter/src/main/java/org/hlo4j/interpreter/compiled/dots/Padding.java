package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.hlo.Dims;
import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * Copies an array into a larger one: with zeros around, between, or cut at the edges.
 *
 * @param sizes the sizes of the array
 * @param low zeros before the first element, for each dimension; negative for elements left out
 * @param dilation how far apart neighbours come to lie
 * @param padded the sizes of the result
 */
record Padding(Dims sizes, Dims low, Dims dilation, Dims padded) {
  private static final int AT_ONCE = 1 << 14;
  private static final Positions ONE = Positions.even(1, 1);

  /** Whether nothing changes. */
  boolean isNone() {
    return sizes.equals(padded) && low.stream().allMatch(zeros -> zeros == 0);
  }

  /** The result, in an array that may be larger. */
  void run(Numbers numbers, Object from, Object to, KernelContext context) {
    int split = lastChanged();
    int rows = (int) padded.subList(0, split).product();
    int length = (int) padded.subList(split, padded.count()).product();
    int rowsAtOnce = Math.max(1, AT_ONCE / Math.max(1, length));
    Chunks.run(
        context,
        false,
        Math.ceilDiv(rows, rowsAtOnce),
        chunk -> {
          for (int r = chunk * rowsAtOnce; r < Math.min(rows, (chunk + 1) * rowsAtOnce); r++) {
            row(numbers, from, to, r, split, length);
          }
        });
  }

  /** The last dimension in which something changes: those behind it are copied whole. */
  private int lastChanged() {
    int last = sizes.count() - 1;
    while (last > 0 && sizes.get(last) == padded.get(last) && low.get(last) == 0) {
      last--;
    }
    return last;
  }

  private void row(Numbers numbers, Object from, Object to, int row, int split, int length) {
    int start = row * length;
    long source = source(row, split);
    int unit = (int) sizes.subList(split + 1, sizes.count()).product();
    int zeros = (int) low.get(split);
    int apart = (int) dilation.get(split);
    int first = zeros >= 0 ? 0 : Math.ceilDiv(-zeros, apart);
    long end = Math.ceilDiv(padded.get(split) - zeros, apart);
    int count = (int) Math.min(sizes.get(split), end) - first;
    if (source < 0 || count <= 0) {
      numbers.clear(to, start, start + length);
      return;
    }
    int at = (int) (source * sizes.get(split) + first) * unit;
    int place = start + (zeros + first * apart) * unit;
    if (apart == 1) {
      numbers.clear(to, start, place);
      numbers.gather(
          from, at, ONE, 0, 1, Positions.even(count * unit, 1), 0, count * unit, to, place, 0);
      numbers.clear(to, place + count * unit, start + length);
    } else {
      numbers.clear(to, start, start + length);
      numbers.gather(
          from,
          at,
          Positions.even(count, unit),
          0,
          count,
          Positions.even(unit, 1),
          0,
          unit,
          to,
          place,
          apart * unit);
    }
  }

  /** The number of the row that is copied to a row of the result; negative if there is none. */
  private long source(int row, int split) {
    long source = 0;
    long scale = 1;
    for (int i = split - 1, rest = row; i >= 0; i--) {
      long index = rest % padded.get(i) - low.get(i);
      rest = (int) (rest / padded.get(i));
      boolean isThere = index >= 0 && index % dilation.get(i) == 0;
      if (!isThere || index / dilation.get(i) >= sizes.get(i)) {
        return -1;
      }
      source += index / dilation.get(i) * scale;
      scale *= sizes.get(i);
    }
    return source;
  }
}
