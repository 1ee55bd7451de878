package org.hlo4j.interpreter.compiled.fft;

import java.util.function.IntFunction;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * A bump allocator of cache-aligned parts of a large array. The elements of a large array begin 16
 * bytes after the start of a cache line, and the garbage collector hardly ever moves a large array,
 * so parts at multiples of a cache line from a suitable first index stay aligned.
 */
final class AlignedSlab {
  private static final int MIN = 1 << 17;
  private static final int LINE = Machine.CACHE_LINE / Double.BYTES;
  private static final int START = 6;
  private static final int MAX_SHARED = 1 << 14;

  /**
   * The cache lines of padding between parts. Parts whose sizes are powers of two would otherwise
   * map to the same cache sets.
   */
  private static final int PADDING_LINES = 5;

  private static final AlignedSlab TABLES = new AlignedSlab();

  private double[] array = {};
  private int next;

  /** Returns a grid for {@code count} complex numbers in rows of {@code stride} numbers. */
  FftGrid part(int count, int stride) {
    int shift = (Math.ceilDiv(Math.max(1, count), LINE) + PADDING_LINES) * LINE;
    if (next + 2L * shift > array.length) {
      array = new double[Math.max(MIN, Math.addExact(START, Math.multiplyExact(2, shift)))];
      next = START;
    }
    FftGrid part = new FftGrid(array, next, shift, stride);
    next += 2 * shift;
    return part;
  }

  /**
   * Returns a grid for numbers that a plan keeps. A grid of many numbers has an array of its own,
   * which is garbage collected together with the plan.
   */
  static FftGrid table(int count, int stride) {
    if (count > MAX_SHARED) {
      return new AlignedSlab().part(count, stride);
    }
    synchronized (TABLES) {
      return TABLES.part(count, stride);
    }
  }

  /** Returns such a grid of numbers, each of which is given as its real and imaginary part. */
  static FftGrid table(int count, int stride, IntFunction<double[]> numbers) {
    FftGrid table = table(count, stride);
    new Pieces(0, count)
        .forEach(i -> {
          double[] parts = numbers.apply(i);
          table.set(i, parts[0], parts[1]);
        });
    return table;
  }
}
