package org.hlo4j.interpreter.compiled.tiering;

/**
 * The decision whether the second form of some code is to replace the first, made from their
 * running times. Both are timed again and again while C2 compiles them.
 */
abstract sealed class TimingComparison {
  /** The state of the comparison. */
  enum State {
    /** It is not decided yet. */
    OPEN,
    /** The second form is as fast as it should be. */
    WON,
    /** The second form is not fast enough, and will not become so. */
    LOST
  }

  private TimingComparison() {}

  /**
   * Returns the state after one more measurement. All times are in nanoseconds.
   *
   * @param first how long the first form took
   * @param second how long the second form took
   * @param now the time of the measurement
   */
  abstract State addMeasurement(long first, long second, long now);

  /**
   * The comparison for a vector form. It wins as soon as it is as fast as the first form: once C2
   * has compiled it, it gets no faster.
   */
  static final class OfVectors extends TimingComparison {
    /** Timing is not exact: a form that is a little slower counts as equally fast. */
    private static final double MAX_TIME_RATIO = 1.1;

    /** After how many measurements at which it is slower the second form loses. */
    private static final int MAX_SLOWER_COUNT = 20;

    private int slowerCount;

    @Override
    State addMeasurement(long first, long second, long now) {
      if (second <= MAX_TIME_RATIO * first) {
        return State.WON;
      }
      return ++slowerCount == MAX_SLOWER_COUNT ? State.LOST : State.OPEN;
    }
  }

  /**
   * The comparison for a form whose loops are split. C2 compiles these loops one by one, and the
   * form gets faster with each; the first form, too, may get faster when C2 compiles a part of it
   * late. The split form uses more of the caches, so it has to be clearly faster, and for a while.
   */
  static final class OfSplitLoops extends TimingComparison {
    private static final double MAX_TIME_RATIO = 0.75;
    private static final long MIN_FASTER_NANOS = 60_000_000;

    /**
     * The second form loses if, for {@link #STAGNATION_NANOS}, no measurement is below this
     * fraction of its least time.
     */
    private static final double IMPROVEMENT_RATIO = 0.9;

    private static final long STAGNATION_NANOS = 400_000_000;

    /**
     * A second form that takes this many times as long as the first is not compiled yet, as C2 may
     * be busy.
     */
    private static final double UNCOMPILED = 3;

    private static final long UNCOMPILED_NANOS = 4_000_000_000L;

    private long leastFirst = Long.MAX_VALUE;
    private long leastSecond = Long.MAX_VALUE;
    private long betterAt;
    private long began = Long.MAX_VALUE;
    private long fasterSince = Long.MAX_VALUE;

    @Override
    State addMeasurement(long first, long second, long now) {
      leastFirst = Math.min(leastFirst, first);
      began = Math.min(began, now);
      boolean isUncompiled = second > UNCOMPILED * leastFirst && now - began < UNCOMPILED_NANOS;
      if (isUncompiled || second < IMPROVEMENT_RATIO * leastSecond) {
        leastSecond = Math.min(leastSecond, second);
        betterAt = now;
      }
      if (second > MAX_TIME_RATIO * leastFirst) {
        fasterSince = Long.MAX_VALUE;
        return now - betterAt > STAGNATION_NANOS ? State.LOST : State.OPEN;
      }
      fasterSince = Math.min(fasterSince, now);
      return now - fasterSince >= MIN_FASTER_NANOS ? State.WON : State.OPEN;
    }
  }
}
