package org.hlo4j.tools.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A detector of the end of a warm-up. Evaluations are steady when the JIT compiler has been idle
 * for a while, in which they have become no faster. Looking at the times alone is not sufficient,
 * since they stay constant for as long as the compiler is working. Of several samples the fastest
 * one counts, since it is the least disturbed by load on the machine.
 */
final class Warmup {
  private static final long QUIET_NANOS = 1_500_000_000;
  private static final long MAX_NANOS = 20_000_000_000L;

  /** The largest compilation time in a quiet period; classes are loaded now and then. */
  private static final long IDLE_MILLIS = QUIET_NANOS / 1_000_000 / 50;

  /**
   * The ratio of times below which the second half of a quiet period counts as faster than the
   * first.
   */
  private static final double GAIN = 0.97;

  /** The largest ratio to the fastest sample at which a sample is steady. */
  private static final double STEADY = 1.1;

  private record Sample(
      long runsBefore, long endNanos, double nanosPerRun, long compilationMillis) {}

  private final List<Sample> samples = new ArrayList<>();
  private long runs;
  private long nanos;

  /**
   * Records that some evaluations are done.
   *
   * @param count the number of evaluations
   * @param took their total time
   * @param compilationMillis the total time of the compiler since the start of the process
   */
  void add(int count, long took, long compilationMillis) {
    nanos += took;
    samples.add(new Sample(runs, nanos, (double) took / count, compilationMillis));
    runs += count;
  }

  /** Returns whether the times are steady or the time limit is reached. */
  boolean isOver() {
    return nanos >= MAX_NANOS || isSteady();
  }

  /** Returns whether the compiler was idle at the end and the times were constant. */
  boolean isSteady() {
    int quiet = firstAfter(nanos - QUIET_NANOS);
    int middle = firstAfter(nanos - QUIET_NANOS / 2);
    return quiet > 0
        && middle > quiet
        && compilationMillis(samples.size() - 1) - compilationMillis(quiet - 1) <= IDLE_MILLIS
        && fastest(middle, samples.size()) >= GAIN * fastest(quiet, middle);
  }

  private long compilationMillis(int sample) {
    return samples.get(sample).compilationMillis;
  }

  /** Returns the first sample that ends after a time. */
  private int firstAfter(long time) {
    int first = samples.size();
    while (first > 0 && samples.get(first - 1).endNanos > time) {
      first--;
    }
    return first;
  }

  private double fastest(int from, int to) {
    return samples.subList(from, to).stream()
        .mapToDouble(Sample::nanosPerRun)
        .min()
        .orElse(Double.MAX_VALUE);
  }

  /**
   * Returns the number of evaluations until the times were steady, or the number of all evaluations
   * if they never were.
   */
  long runs() {
    double steady = STEADY * fastest(0, samples.size());
    return isSteady()
        ? samples.stream()
            .filter(sample -> sample.nanosPerRun <= steady)
            .mapToLong(Sample::runsBefore)
            .findFirst()
            .orElse(runs)
        : runs;
  }

  /**
   * Returns {@link #runs} as text: {@code 1,234 runs}, or {@code >1,234 runs} if the times never
   * were steady.
   */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, isSteady() ? "%,d runs" : ">%,d runs", runs());
  }
}
