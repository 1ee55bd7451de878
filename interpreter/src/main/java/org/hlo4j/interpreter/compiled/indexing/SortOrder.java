package org.hlo4j.interpreter.compiled.indexing;

import java.util.Arrays;
import java.util.Optional;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Pieces;
import org.hlo4j.interpreter.engine.Workers;

/** The stable order of the elements of a line, as the numbers of its elements from 0. */
final class SortOrder {
  /** Returns whether an element comes before another one, given their positions. */
  interface LessThan {
    boolean test(int left, int right);
  }

  private static final int FEW = 64;
  private static final long UPPER = -1L << 32;

  private SortOrder() {}

  /**
   * Returns the order by a key of a line that begins at position {@code first}; empty if an element
   * has no position in it, because it is NaN.
   */
  static Optional<int[]> byKey(
      SortKey key, Object storage, int first, int size, int stride, KernelContext context) {
    if (key.isLong()) {
      long[] keys = new long[size];
      long[] piece = new long[Math.min(size, Pieces.MAX)];
      Pieces.Work receiver = (at, end) -> System.arraycopy(piece, 0, keys, at, end - at);
      return map(key, storage, first, size, stride, piece, receiver)
          ? Optional.of(byLongs(keys, context))
          : Optional.empty();
    }
    long[] packed = new long[size];
    int[] piece = new int[Math.min(size, Pieces.MAX)];
    Pieces.Work receiver =
        (at, end) -> {
          for (int i = at; i < end; i++) {
            packed[i] = ((long) piece[i - at] << 32) | i;
          }
        };
    return map(key, storage, first, size, stride, piece, receiver)
        ? Optional.of(byInts(packed, context.workers()))
        : Optional.empty();
  }

  /**
   * Computes the keys of a line. Returns whether all elements have one.
   *
   * @param piece the array of the keys of some elements at a time
   * @param receiver takes them out of it
   */
  private static boolean map(
      SortKey key,
      Object storage,
      int first,
      int size,
      int stride,
      Object piece,
      Pieces.Work receiver) {
    Object[] from = {storage};
    Object[] keys = {piece};
    int[] nans = new int[1];
    new Pieces(0, size)
        .run((at, end) -> {
          nans[0] += key.mapping().map(from, first + at * stride, stride, keys, end - at);
          receiver.run(at, end);
        });
    return nans[0] == 0;
  }

  private static int[] byInts(long[] packed, Workers workers) {
    if (packed.length < FEW) {
      Arrays.sort(packed);
      return lowerHalves(packed);
    }
    return lowerHalves(RadixSort.sorted(packed, workers));
  }

  private static int[] lowerHalves(long[] packed) {
    int[] order = new int[packed.length];
    new Pieces(0, order.length)
        .run((first, end) -> {
          for (int i = first; i < end; i++) {
            order[i] = (int) packed[i];
          }
        });
    return order;
  }

  /** Sorts by the lower halves of the keys, which are unsigned, and then by the upper halves. */
  private static int[] byLongs(long[] keys, KernelContext context) {
    int size = keys.length;
    if (size < FEW) {
      return mergeSort((left, right) -> keys[left] < keys[right], size);
    }
    long[] packed = new long[size];
    new Pieces(0, size)
        .run((first, end) -> {
          for (int i = first; i < end; i++) {
            packed[i] = (keys[i] << 32 ^ Long.MIN_VALUE) | i;
          }
        });
    long[] byLower = RadixSort.sorted(packed, context.workers());
    new Pieces(0, size)
        .run((first, end) -> {
          for (int i = first; i < end; i++) {
            int at = (int) byLower[i];
            byLower[i] = (keys[at] & UPPER) | at;
          }
        });
    return lowerHalves(RadixSort.sorted(byLower, context.workers()));
  }

  /**
   * Returns the order by any comparator. Elements are merged as in the reference evaluator, so that
   * the result is the same even for an inconsistent comparator.
   */
  static int[] mergeSort(LessThan lessThan, int size) {
    int[] order = identity(size);
    int[] next = new int[size];
    Pieces pieces = new Pieces();
    for (long width = 1; width < size; width *= 2) {
      for (long start = 0; start < size; start += 2 * width) {
        int middle = (int) Math.min(start + width, size);
        int end = (int) Math.min(start + 2 * width, size);
        merge(lessThan, order, next, (int) start, middle, end, pieces);
      }
      int[] swap = order;
      order = next;
      next = swap;
    }
    return order;
  }

  private static void merge(
      LessThan lessThan, int[] from, int[] to, int start, int middle, int end, Pieces pieces) {
    int left = start;
    int right = middle;
    for (int i = start; i < end; i++) {
      pieces.next(1);
      boolean takeRight = right < end && (left == middle || lessThan.test(from[right], from[left]));
      to[i] = takeRight ? from[right++] : from[left++];
    }
  }

  private static int[] identity(int size) {
    int[] numbers = new int[size];
    Arrays.setAll(numbers, i -> i);
    return numbers;
  }
}
