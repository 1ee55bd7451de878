package org.hlo4j.interpreter.compiled.fft;

/**
 * A large array of which parts are given out, so that they begin where lines of the cache do: the
 * elements of large arrays begin 16 bytes behind the start of a line, and what is large is hardly
 * ever moved.
 */
final class AlignedSlab {
  private static final int MIN = 1 << 17;
  private static final int LINE = 8;
  private static final int START = 6;
  private static final int MAX_SHARED = 1 << 14;

  /** Lines between parts: those of power of two sizes would share places of the cache. */
  private static final int APART = 5;

  private static final AlignedSlab TABLES = new AlignedSlab();

  private double[] array = {};
  private int next;

  /** Room for so many complex numbers, in rows of so many. */
  FftGrid part(int count, int stride) {
    int shift = (Math.ceilDiv(Math.max(1, count), LINE) + APART) * LINE;
    if (next + 2L * shift > array.length) {
      array = new double[Math.max(MIN, START + 2 * shift)];
      next = START;
    }
    FftGrid part = new FftGrid(array, next, shift, stride);
    next += 2 * shift;
    return part;
  }

  /**
   * Room for numbers that a plan keeps: many of them in an array of their own, which goes with it.
   */
  static FftGrid table(int count, int stride) {
    if (count > MAX_SHARED) {
      return new AlignedSlab().part(count, stride);
    }
    synchronized (TABLES) {
      return TABLES.part(count, stride);
    }
  }
}
