package org.hlo4j.interpreter.compiled.indexing;

import java.util.Arrays;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.Pieces;
import org.hlo4j.interpreter.engine.Workers;

/**
 * A stable radix sort of longs by their upper halves, which are signed. It starts with the least
 * significant digit. In large arrays, digits are counted and elements moved in two parts, for two
 * threads.
 */
final class RadixSort {
  private static final int DIGIT = 8;
  private static final int DIGITS = 1 << DIGIT;
  private static final int PARTS = 2;
  private static final int LOWEST = 32;

  private RadixSort() {}

  /** Returns the sorted values, in the same array or in another one. */
  static long[] sorted(long[] values, Workers workers) {
    int parts = values.length >= Machine.GRAIN && workers.count() > 1 ? PARTS : 1;
    int each = Math.ceilDiv(values.length, parts);
    long[] from = values;
    long[] to = new long[values.length];
    int[][] offsets = new int[parts][DIGITS];
    for (int shift = LOWEST; shift < Long.SIZE; shift += DIGIT) {
      long[] source = from;
      long[] target = to;
      int at = shift;
      workers.run(parts, part -> count(source, part * each, each, at, offsets[part]));
      if (computeOffsets(offsets)) {
        workers.run(parts, part -> move(source, part * each, each, at, offsets[part], target));
        from = target;
        to = source;
      }
    }
    return from;
  }

  /**
   * Returns a digit of a value. The sign bit is flipped, so that digits are in the order of the
   * values.
   */
  private static int digit(long value, int shift) {
    return (int) ((value ^ Long.MIN_VALUE) >>> shift) & (DIGITS - 1);
  }

  private static void count(long[] values, int first, int count, int shift, int[] counts) {
    Arrays.fill(counts, 0);
    int end = Math.min(values.length, first + count);
    new Pieces(first, end)
        .run((from, next) -> {
          for (int i = from; i < next; i++) {
            counts[digit(values[i], shift)]++;
          }
        });
  }

  /**
   * Replaces the counts of the digits by the positions of their first elements. Returns false if
   * all elements have the same digit.
   */
  private static boolean computeOffsets(int[][] counts) {
    int next = 0;
    int kinds = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
      int before = next;
      for (int[] part : counts) {
        int count = part[digit];
        part[digit] = next;
        next += count;
      }
      kinds += next > before ? 1 : 0;
    }
    return kinds > 1;
  }

  private static void move(long[] from, int first, int count, int shift, int[] offsets, long[] to) {
    int end = Math.min(from.length, first + count);
    new Pieces(first, end)
        .run((start, next) -> {
          for (int i = start; i < next; i++) {
            long value = from[i];
            to[offsets[digit(value, shift)]++] = value;
          }
        });
  }
}
