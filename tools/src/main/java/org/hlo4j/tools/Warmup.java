package org.hlo4j.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Decides when evaluations have become steady: Java's compiler has been idle for a while, in which
 * they have got no faster. Only to look at times is not enough, since they stay as they are for as
 * long as the compiler takes. Of several samples the fastest counts, which load of the machine
 * disturbs least.
 */
final class Warmup {
  private static final long QUIET_NANOS = 1_500_000_000;
  private static final long MAX_NANOS = 20_000_000_000L;

  /** How long the compiler may work in a quiet time: classes are loaded now and then. */
  private static final long IDLE_MILLIS = QUIET_NANOS / 1_000_000 / 50;

  /** By how much the second half of a quiet time may be faster. */
  private static final double GAIN = 0.97;

  /** Within what of the fastest a sample is steady. */
  private static final double STEADY = 1.1;

  private record Sample(
      long runsBefore, long endNanos, double nanosPerRun, long compilationMillis) {}

  private final List<Sample> samples = new ArrayList<>();
  private long runs;
  private long nanos;

  /**
   * Some evaluations are done.
   *
   * @param count how many
   * @param took how long they took together
   * @param compilationMillis how long the compiler has worked since the process began
   */
  void add(int count, long took, long compilationMillis) {
    nanos += took;
    samples.add(new Sample(runs, nanos, (double) took / count, compilationMillis));
    runs += count;
  }

  /** Whether there is nothing to be gained by more. */
  boolean isOver() {
    return nanos >= MAX_NANOS || isSteady();
  }

  /** Whether the compiler was idle at the end, and times were the same. */
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

  /** The first sample that ends after a time. */
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

  /** After how many evaluations it was steady, or how many there were if it never was. */
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

  /** {@link #runs}: {@code 1,234 runs}, or {@code >1,234 runs} if it never was steady. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, isSteady() ? "%,d runs" : ">%,d runs", runs());
  }
}
