package org.hlo4j.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Decides when evaluations have become steady: the second half of the time spent was no faster than
 * the first, by the fastest sample of each, which load of the machine disturbs least.
 */
final class Warmup {
  private static final long MIN_NANOS = 500_000_000;
  private static final long MAX_NANOS = 10_000_000_000L;
  private static final int MIN_SAMPLES = 4;

  /** By how much the second half may be faster. */
  private static final double GAIN = 0.97;

  /** Within what of the fastest a sample is steady. */
  private static final double STEADY = 1.1;

  private record Sample(long runsBefore, long endNanos, double nanosPerRun) {}

  private final List<Sample> samples = new ArrayList<>();
  private long runs;
  private long nanos;

  /** Some evaluations have taken so long together. */
  void add(int count, long took) {
    nanos += took;
    samples.add(new Sample(runs, nanos, (double) took / count));
    runs += count;
  }

  /** Whether there is nothing to be gained by more. */
  boolean isOver() {
    return nanos >= MAX_NANOS || isSteady();
  }

  /** Whether the second half of the time was no faster than the first. */
  boolean isSteady() {
    return nanos >= MIN_NANOS
        && samples.size() >= MIN_SAMPLES
        && fastest(true) >= GAIN * fastest(false);
  }

  /** The fastest sample of the second half of the time, or of the first. */
  private double fastest(boolean second) {
    return samples.stream()
        .filter(sample -> (sample.endNanos > nanos / 2) == second)
        .mapToDouble(Sample::nanosPerRun)
        .min()
        .orElse(Double.MAX_VALUE);
  }

  /** After how many evaluations it was steady, or how many there were if it never was. */
  long runs() {
    double steady = STEADY * Math.min(fastest(true), fastest(false));
    return isSteady()
        ? samples.stream()
            .filter(sample -> sample.nanosPerRun <= steady)
            .mapToLong(Sample::runsBefore)
            .findFirst()
            .orElse(runs)
        : runs;
  }

  /** {@link #runs}: {@code 1,234}, or {@code >1,234} if it never was steady. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, isSteady() ? "%,d" : ">%,d", runs());
  }
}
