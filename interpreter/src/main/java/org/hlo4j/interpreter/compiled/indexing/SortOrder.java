package org.hlo4j.interpreter.compiled.indexing;

import java.util.Arrays;
import java.util.Optional;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Workers;

/** The stable order of the elements of a line, as the numbers of its elements from 0. */
final class SortOrder {
  /** Returns whether an element comes before another one, given their positions. */
  interface LessThan {
    boolean test(int left, int right);
  }

  private static final int FEW = 64;

  private SortOrder() {}

  /**
   * Returns the order by a key of a line that begins at position {@code first}; empty if an element
   * has no position in it, because it is NaN.
   */
  static Optional<int[]> byKey(
      SortKey key, Object storage, int first, int size, int stride, Workers workers) {
    Object[] from = {storage};
    if (key.isLong()) {
      long[] keys = new long[size];
      return key.mapping().map(from, first, stride, new Object[] {keys}, size) > 0
          ? Optional.empty()
          : Optional.of(byLongs(keys));
    }
    int[] keys = new int[size];
    return key.mapping().map(from, first, stride, new Object[] {keys}, size) > 0
        ? Optional.empty()
        : Optional.of(byInts(keys, workers));
  }

  private static int[] byInts(int[] keys, Workers workers) {
    int size = keys.length;
    long[] packed = new long[size];
    for (int i = 0; i < size; i++) {
      packed[i] = ((long) keys[i] << 32) | i;
    }
    if (size < FEW) {
      Arrays.sort(packed);
    } else {
      packed = RadixSort.sorted(packed, workers);
    }
    int[] order = keys;
    for (int i = 0; i < size; i++) {
      order[i] = (int) packed[i];
    }
    return order;
  }

  private static int[] byLongs(long[] keys) {
    int size = keys.length;
    int[] order = identity(size);
    int[] next = new int[size];
    for (long width = 1; width < size; width *= 2) {
      for (long start = 0; start < size; start += 2 * width) {
        int middle = (int) Math.min(start + width, size);
        int end = (int) Math.min(start + 2 * width, size);
        mergeByKey(keys, order, next, (int) start, middle, end);
      }
      int[] swap = order;
      order = next;
      next = swap;
    }
    return order;
  }

  private static void mergeByKey(
      long[] keys, int[] from, int[] to, int start, int middle, int end) {
    int left = start;
    int right = middle;
    for (int i = start; i < end; i++) {
      boolean takeRight = right < end && (left == middle || keys[from[right]] < keys[from[left]]);
      to[i] = takeRight ? from[right++] : from[left++];
    }
  }

  /**
   * Returns the order by any comparator. Elements are merged as in the reference evaluator, so that
   * the result is the same even for an inconsistent comparator.
   */
  static int[] mergeSort(LessThan lessThan, int size, KernelContext context) {
    int[] order = identity(size);
    int[] next = new int[size];
    for (long width = 1; width < size; width *= 2) {
      for (long start = 0; start < size; start += 2 * width) {
        context.checkLimits();
        int middle = (int) Math.min(start + width, size);
        int end = (int) Math.min(start + 2 * width, size);
        merge(lessThan, order, next, (int) start, middle, end);
      }
      int[] swap = order;
      order = next;
      next = swap;
    }
    return order;
  }

  private static void merge(
      LessThan lessThan, int[] from, int[] to, int start, int middle, int end) {
    int left = start;
    int right = middle;
    for (int i = start; i < end; i++) {
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
