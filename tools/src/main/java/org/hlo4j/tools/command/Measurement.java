package org.hlo4j.tools.command;

import com.google.gson.JsonObject;
import com.sun.management.ThreadMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A measurement of the time and the allocation of one evaluation. Short evaluations are repeated
 * within each sample, so that the overhead of the clock and of the measurement is negligible.
 */
final class Measurement {
  /** The intended duration of a sample, in nanoseconds. */
  private static final long SAMPLE_NANOS = 2_000_000;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

  /** The number of times that a program whose times are steady is asked whether it is warm. */
  private static final int MAX_CHECKS = 8;

  private final Runnable evaluation;
  private final BooleanSupplier isWarm;
  private final double[] nanos;
  private final double[] bytes;
  private final Warmup warmup = new Warmup();
  private Optional<Integer> fixedWarmup = Optional.empty();
  private boolean isReady;

  /**
   * Creates a measurement.
   *
   * @param isWarm runs until the kernels are in their last forms, and tells whether they are; asked
   *     once times are steady
   */
  Measurement(Runnable evaluation, BooleanSupplier isWarm, int samples) {
    this.evaluation = evaluation;
    this.isWarm = isWarm;
    this.nanos = new double[samples];
    this.bytes = new double[samples];
  }

  /** Evaluates a requested number of times, or until the times are steady. */
  void warmUp(Optional<Integer> runs) {
    fixedWarmup = runs;
    for (int i = 0; i < runs.orElse(0); i++) {
      evaluation.run();
    }
    int checks = 0;
    while (runs.isEmpty() && !isReady && checks++ < MAX_CHECKS) {
      do {
        int count = repeats();
        warmup.add(count, time(count), COMPILER.getTotalCompilationTime());
      } while (!warmup.isOver());
      isReady = isWarm.getAsBoolean();
    }
  }

  /** Takes a sample. */
  void measure(int sample) {
    int count = repeats();
    long before = THREADS.getTotalThreadAllocatedBytes();
    nanos[sample] = (double) time(count) / count;
    bytes[sample] = (double) (THREADS.getTotalThreadAllocatedBytes() - before) / count;
    perRun = nanos[sample];
  }

  /** The time of one evaluation in the last sample; 0 before the first one. */
  private double perRun;

  /** Returns the number of evaluations per sample. */
  private int repeats() {
    if (perRun == 0) {
      time(1);
    }
    return (int) Math.clamp(SAMPLE_NANOS / Math.max(1, perRun), 1, 1_000_000);
  }

  private long time(int count) {
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      evaluation.run();
    }
    long took = System.nanoTime() - start;
    perRun = (double) took / count;
    return took;
  }

  /** Returns the median in nanoseconds. */
  double median() {
    return (quantileOf(nanos, (nanos.length - 1) / 2) + quantileOf(nanos, nanos.length / 2)) / 2;
  }

  /** Returns a quantile of the samples. */
  double quantile(double fraction) {
    return quantileOf(nanos, Math.max(0, (int) Math.ceil(fraction * nanos.length) - 1));
  }

  /** Returns the median of the bytes that one evaluation allocates. */
  long allocatedBytes() {
    return Math.round(quantileOf(bytes, bytes.length / 2));
  }

  private static double quantileOf(double[] samples, int rank) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    return sorted[rank];
  }

  /**
   * Returns the number of evaluations until the times were steady, or the number of all warm-up
   * evaluations.
   */
  String warmUpRuns() {
    return fixedWarmup
        .map(runs -> String.format(Locale.ROOT, "%,d runs", runs))
        .orElseGet(warmup::toString);
  }

  /** Returns all results as JSON, with times in nanoseconds. */
  JsonObject json(String evaluator) {
    JsonObject json = new JsonObject();
    json.addProperty("evaluator", evaluator);
    json.addProperty("medianNanos", median());
    json.addProperty("minimumNanos", quantile(0));
    json.addProperty("percentile90Nanos", quantile(0.9));
    json.addProperty("allocatedBytes", allocatedBytes());
    json.addProperty("warmUpRuns", fixedWarmup.map(Long::valueOf).orElseGet(warmup::runs));
    json.addProperty("steady", fixedWarmup.isPresent() || (isReady && warmup.isSteady()));
    return json;
  }
}
