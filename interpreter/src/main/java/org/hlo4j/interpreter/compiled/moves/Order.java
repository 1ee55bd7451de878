package org.hlo4j.interpreter.compiled.moves;

import java.util.Arrays;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.hlo4j.interpreter.kernel.Workers;

/** The order of the elements of a line, equal ones as they were: numbers from 0. */
final class Order {
  /** Whether an element comes before another, by their positions. */
  interface Before {
    boolean test(int left, int right);
  }

  private static final int PARALLEL = 1 << 16;
  private static final int PARTS = 4;
  private static final long INDEX = 0xFFFFFFFFL;

  private Order() {}

  /** The order by a key, of a line that begins at a position and of which all have a place. */
  static int[] byKey(
      SortKey key, Object storage, int first, int size, int stride, Workers workers) {
    SortKey.Reader reader = key.in(storage);
    return key.isShort()
        ? byShortKey(reader, first, size, stride, workers)
        : byLongKey(reader, first, size, stride);
  }

  private static int[] byShortKey(
      SortKey.Reader reader, int first, int size, int stride, Workers workers) {
    long[] packed = new long[size];
    for (int i = 0; i < size; i++) {
      packed[i] = ((long) reader.shortKey(first + i * stride) << 32) | i;
    }
    sort(packed, workers);
    int[] order = new int[size];
    for (int i = 0; i < size; i++) {
      order[i] = (int) (packed[i] & INDEX);
    }
    return order;
  }

  /** Sorts; large arrays in four parts that are merged. */
  private static void sort(long[] values, Workers workers) {
    int size = values.length;
    if (size < PARALLEL || workers.count() == 1) {
      Arrays.sort(values);
      return;
    }
    int part = Math.ceilDiv(size, PARTS);
    long[] merged = new long[size];
    workers.run(
        PARTS, i -> Arrays.sort(values, Math.min(size, i * part), Math.min(size, (i + 1) * part)));
    int half = Math.min(size, 2 * part);
    workers.run(
        2,
        i ->
            merge(values, merged, i * half, Math.min(size, i * half + part), i == 0 ? half : size));
    workers.run(
        2,
        i -> {
          if (i == 0) {
            mergeLow(merged, values, half);
          } else {
            mergeHigh(merged, values, half);
          }
        });
  }

  private static void merge(long[] from, long[] to, int start, int middle, int end) {
    int left = start;
    int right = middle;
    for (int i = start; i < end; i++) {
      boolean takeRight = right < end && (left == middle || from[right] < from[left]);
      to[i] = takeRight ? from[right++] : from[left++];
    }
  }

  /** The lower half of what two sorted parts make together, all being different. */
  private static void mergeLow(long[] from, long[] to, int middle) {
    int left = 0;
    int right = middle;
    for (int i = 0; i < from.length / 2; i++) {
      boolean takeRight = right < from.length && (left == middle || from[right] < from[left]);
      to[i] = takeRight ? from[right++] : from[left++];
    }
  }

  /** The upper half, from above. */
  private static void mergeHigh(long[] from, long[] to, int middle) {
    int left = middle - 1;
    int right = from.length - 1;
    for (int i = from.length - 1; i >= from.length / 2; i--) {
      boolean takeRight = right >= middle && (left < 0 || from[right] > from[left]);
      to[i] = takeRight ? from[right--] : from[left--];
    }
  }

  private static int[] byLongKey(SortKey.Reader reader, int first, int size, int stride) {
    long[] keys = new long[size];
    for (int i = 0; i < size; i++) {
      keys[i] = reader.longKey(first + i * stride);
    }
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

  /** The order by any comparator, merged as the reference evaluator does, whatever it answers. */
  static int[] by(Before before, int size, KernelContext context) {
    int[] order = identity(size);
    int[] next = new int[size];
    for (long width = 1; width < size; width *= 2) {
      for (long start = 0; start < size; start += 2 * width) {
        context.checkLimits();
        int middle = (int) Math.min(start + width, size);
        int end = (int) Math.min(start + 2 * width, size);
        merge(before, order, next, (int) start, middle, end);
      }
      int[] swap = order;
      order = next;
      next = swap;
    }
    return order;
  }

  private static void merge(Before before, int[] from, int[] to, int start, int middle, int end) {
    int left = start;
    int right = middle;
    for (int i = start; i < end; i++) {
      boolean takeRight = right < end && (left == middle || before.test(from[right], from[left]));
      to[i] = takeRight ? from[right++] : from[left++];
    }
  }

  private static int[] identity(int size) {
    int[] numbers = new int[size];
    Arrays.setAll(numbers, i -> i);
    return numbers;
  }
}
