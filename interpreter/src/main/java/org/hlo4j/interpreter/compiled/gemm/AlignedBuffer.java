package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.jspecify.annotations.Nullable;

/**
 * A buffer for packed operands, with the offset at which vectors fill whole cache lines. A vector
 * that crosses a cache line takes twice the time to load, which makes a product a quarter slower.
 * Java does not expose the address of an array, and the garbage collector may change it; so the
 * offset is found by timing copies at each candidate.
 */
public final class AlignedBuffer {
  private static final int LINE = Machine.CACHE_LINE / Float.BYTES;

  /** The number of elements that are copied. */
  private static final int LENGTH = 256 * LINE;

  private static final int ROUNDS = 9;

  /** The minimum size in bytes. The garbage collector hardly ever moves an array this large. */
  private static final int MIN_BYTES = 1 << 20;

  private static final int SELDOM = (1 << 10) - 1;

  /** Copies from a better start take at most this part of the time; less of a gain is noise. */
  private static final double MAX_TIME_OF_BETTER = 0.85;

  private final AccumulatorType accumulatorType;
  private final Object array;

  /** At first the one that fits an array that begins a cache line, as large ones of G1 do. */
  private int start;

  private int uses;

  private AlignedBuffer(AccumulatorType accumulatorType, Object array) {
    this.accumulatorType = accumulatorType;
    this.array = array;
    this.start = (Machine.CACHE_LINE - Machine.ARRAY_HEADER) * Byte.SIZE / accumulatorType.bits();
  }

  /** {@return a buffer with room for {@code count} elements} */
  static AlignedBuffer of(AccumulatorType accumulatorType, int count) {
    int minCount = MIN_BYTES * Byte.SIZE / accumulatorType.bits();
    return new AlignedBuffer(
        accumulatorType,
        MatrixCopies.of(accumulatorType).allocate(Math.max(count, minCount) + LINE));
  }

  /**
   * {@return a buffer of the size for {@code count} elements, with these elements if others are
   * given} It is to be kept.
   */
  static AlignedBuffer kept(MicroKernelSet tiles, int count, @Nullable AlignedBuffer elements) {
    int room = Math.max(count, LENGTH) + LINE;
    AlignedBuffer buffer =
        new AlignedBuffer(tiles.shape.accumulatorType(), tiles.copies().allocate(room));
    buffer.realign(tiles);
    if (elements != null) {
      System.arraycopy(elements.array, elements.start, buffer.array, buffer.start, count);
    }
    return buffer;
  }

  /** {@return whether the array has been moved so that another start is better} */
  boolean isMisaligned(MicroKernelSet tiles) {
    return isDue() && measureFastestStart(tiles) != start;
  }

  /** {@return whether to look for a moved array: often in the first uses, then seldom} */
  private boolean isDue() {
    int use = uses++;
    return (use & use - 1) == 0 || (use & SELDOM) == 0;
  }

  boolean hasCapacity(int count) {
    return MatrixCopies.of(accumulatorType).length(array) >= (long) count + LINE;
  }

  public Object array() {
    return array;
  }

  /** Finds the start again from time to time, since the array may have been moved. */
  void realign(MicroKernelSet tiles) {
    if (isDue()) {
      start = measureFastestStart(tiles);
    }
  }

  int start() {
    return start;
  }

  /** {@return the start in use, or another one at which copies are faster} */
  private int measureFastestStart(MicroKernelSet tiles) {
    int lanes = tiles.shape.lanes();
    Widenings copies = Widenings.copies(accumulatorType);
    long[] nanos = new long[lanes];
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < lanes; i++) {
        long begin = System.nanoTime();
        copies.run(array, i, 0, 1, LENGTH, array, i, 0);
        long time = System.nanoTime() - begin;
        nanos[i] = round == 0 ? time : Math.min(nanos[i], time);
      }
    }
    int best = start % lanes;
    for (int i = 0; i < lanes; i++) {
      best = nanos[i] < MAX_TIME_OF_BETTER * nanos[best] ? i : best;
    }
    return best == start % lanes ? start : best;
  }
}
