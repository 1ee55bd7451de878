package org.hlo4j.interpreter.compiled.tiering;

/**
 * Tells from how long two forms take, looked at again and again while C2 compiles them, whether the
 * second is to be used.
 */
abstract sealed class TimingComparison {
  /** How it stands. */
  enum State {
    /** It is not told yet. */
    OPEN,
    /** The second form is as fast as it should be. */
    WON,
    /** It is not, and stays so. */
    LOST
  }

  private TimingComparison() {}

  /**
   * How it stands after one more look.
   *
   * @param first how long the first form took
   * @param second how long the second took
   * @param now when, all in nanoseconds
   */
  abstract State look(long first, long second, long now);

  /** Of vectors: as soon as they are as fast, they are used, and get no faster. */
  static final class OfVectors extends TimingComparison {
    /** Timing is not exact: a little slower counts as fast. */
    private static final double AS_FAST = 1.1;

    /** How often it may be looked at and still be slower. */
    private static final int MAX_LOST = 20;

    private int lost;

    @Override
    State look(long first, long second, long now) {
      if (second <= AS_FAST * first) {
        return State.WON;
      }
      return ++lost == MAX_LOST ? State.LOST : State.OPEN;
    }
  }

  /**
   * Of loops that are cut, which C2 compiles one by one: they get faster with each, and so does
   * what is compiled late of the first form. They have to be faster, for they take more of the
   * caches, and stay so for a while.
   */
  static final class OfCutLoops extends TimingComparison {
    private static final double FASTER = 0.75;
    private static final long WHILE_NANOS = 60_000_000;

    /** What has become no faster than so in this time stays as it is. */
    private static final double BETTER = 0.9;

    private static final long STILL_NANOS = 400_000_000;

    /** What takes so many times as long is not compiled by C2 yet, which may be busy. */
    private static final double UNCOMPILED = 3;

    private static final long UNCOMPILED_NANOS = 4_000_000_000L;

    private long leastFirst = Long.MAX_VALUE;
    private long leastSecond = Long.MAX_VALUE;
    private long betterAt;
    private long began = Long.MAX_VALUE;
    private long fasterSince = Long.MAX_VALUE;

    @Override
    State look(long first, long second, long now) {
      leastFirst = Math.min(leastFirst, first);
      began = Math.min(began, now);
      boolean isUncompiled = second > UNCOMPILED * leastFirst && now - began < UNCOMPILED_NANOS;
      if (isUncompiled || second < BETTER * leastSecond) {
        leastSecond = Math.min(leastSecond, second);
        betterAt = now;
      }
      if (second > FASTER * leastFirst) {
        fasterSince = Long.MAX_VALUE;
        return now - betterAt > STILL_NANOS ? State.LOST : State.OPEN;
      }
      fasterSince = Math.min(fasterSince, now);
      return now - fasterSince >= WHILE_NANOS ? State.WON : State.OPEN;
    }
  }
}
