package org.hlo4j.interpreter.compiled.gemm;

/**
 * An array for what is packed, and from which element on vectors fill whole lines of the cache. One
 * that lies across two lines is loaded in twice the time, which makes a product a quarter slower.
 * Where an array begins cannot be asked, and may change; but it can be timed.
 */
public final class AlignedBuffer {
  private static final int LINE = 16;
  private static final int ROWS = 64;
  private static final int ROUNDS = 9;

  /** What is as large as this is hardly ever moved. */
  private static final int MIN_BYTES = 1 << 20;

  private static final int SELDOM = 4095;

  private final AccumulatorType carrier;
  private final Object array;
  private int start;
  private int uses;

  private AlignedBuffer(AccumulatorType carrier, Object array) {
    this.carrier = carrier;
    this.array = array;
  }

  /** An area with room for so many elements. */
  static AlignedBuffer of(AccumulatorType carrier, int count) {
    int least = MIN_BYTES * Byte.SIZE / carrier.bits();
    return new AlignedBuffer(
        carrier, MatrixCopies.of(carrier).allocate(Math.max(count, least) + LINE));
  }

  boolean holds(int count) {
    return MatrixCopies.of(carrier).length(array) >= (long) count + LINE;
  }

  public Object array() {
    return array;
  }

  /** Finds the start anew now and then, since the array may have been moved. */
  void adjust(MicroKernelShape form, MicroKernel copier) {
    if ((uses & uses - 1) == 0 || (uses & SELDOM) == 0) {
      start = fastest(form, copier);
    }
    uses++;
  }

  int start() {
    return start;
  }

  private int fastest(MicroKernelShape form, MicroKernel copier) {
    long[] nanos = new long[form.lanes()];
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < form.lanes(); i++) {
        long begin = System.nanoTime();
        copier.run(array, i, form.width(), array, 0, array, i, form.width(), ROWS, false);
        long time = System.nanoTime() - begin;
        nanos[i] = round == 0 ? time : Math.min(nanos[i], time);
      }
    }
    int best = 0;
    for (int i = 1; i < form.lanes(); i++) {
      best = nanos[i] < nanos[best] ? i : best;
    }
    return best;
  }
}
