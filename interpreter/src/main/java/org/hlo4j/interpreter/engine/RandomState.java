package org.hlo4j.interpreter.engine;

import org.hlo4j.interpreter.math.Philox;

/** The state of the random number generators of a run. */
public final class RandomState {
  /** The initial state in XLA, which is also the initial state here with seed 0. */
  private static final long XLA_START = 0x7012395L;

  private final long seed;
  private long drawn;
  private long low;
  private long high;

  public RandomState(long seed) {
    this.seed = seed;
    this.low = XLA_START + seed;
  }

  /** Returns the next 128 random bits of the run, as two halves. */
  public long[] next() {
    int[] words = Philox.words(drawn++, 0, seed);
    return new long[] {toLong(words[0], words[1]), toLong(words[2], words[3])};
  }

  public static long toLong(int low, int high) {
    return (low & 0xFFFFFFFFL) | ((long) high << 32);
  }

  /** Returns the state that instructions see, low half first, and then adds to it. */
  public long[] getAndAdd(long delta) {
    long[] before = {low, high};
    low += delta;
    high += (delta >> 63) + (Long.compareUnsigned(low, delta) < 0 ? 1 : 0);
    return before;
  }
}
