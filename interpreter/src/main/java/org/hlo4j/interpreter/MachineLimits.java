package org.hlo4j.interpreter;

import com.google.common.base.Suppliers;
import java.util.function.Supplier;
import org.hlo4j.interpreter.engine.Workers;

/**
 * What this machine does at most, with the threads of the compiled evaluator: the speed of
 * arithmetic and that of memory. Measured once per process, in about 0.3 s, or in a second while
 * Java compiles other code.
 *
 * @param flopsPerSecond arithmetic operations per second of a dot of f32 in the cache, which
 *     attains more than half of what a large product of matrices can
 * @param bytesPerSecond bytes read and written per second by a copy of 32 MB
 */
public record MachineLimits(double flopsPerSecond, double bytesPerSecond) {
  private static final long NANOS = 120_000_000;
  private static final long MAX_NANOS = 1_000_000_000;

  /** Operations per second of a thread that no code reaches before C2 has compiled it. */
  private static final double INTERPRETED = 5e9;

  private static final int DOTS = 500;
  private static final int ROWS = 8;
  private static final int COLUMNS = 256;
  private static final int ELEMENTS = 1 << 23;

  private static final Supplier<MachineLimits> MEASURED = Suppliers.memoize(MachineLimits::measure);

  private static MachineLimits measure() {
    Workers workers = Workers.of(EvaluatorOptions.defaults().threads());
    double flops = 2.0 * 2 * DOTS * ROWS * COLUMNS;
    return new MachineLimits(
        workers.count() * flops / seconds(flops / INTERPRETED, dots(workers)),
        2.0 * Float.BYTES * ELEMENTS / seconds(Double.POSITIVE_INFINITY, copy(workers)));
  }

  /**
   * Returns the limits of this machine. The first call measures them.
   *
   * @return the limits
   */
  public static MachineLimits measured() {
    return MEASURED.get();
  }

  /**
   * Returns the limits of a machine that is known to be faster, by up to a factor of two.
   *
   * @param flops arithmetic operations per second that something has attained
   * @return these limits, or higher ones
   */
  public MachineLimits raisedTo(double flops) {
    return new MachineLimits(Math.clamp(flops, flopsPerSecond, 2 * flopsPerSecond), bytesPerSecond);
  }

  /**
   * Returns the time that some work takes at least.
   *
   * @param flops arithmetic operations
   * @param bytes bytes read and written
   * @return the time, in nanoseconds
   */
  public double nanos(double flops, double bytes) {
    return 1e9 * Math.max(flops / flopsPerSecond, bytes / bytesPerSecond);
  }

  /**
   * Returns which limit is nearer for some work.
   *
   * @param flops arithmetic operations
   * @param bytes bytes read and written
   * @return whether memory limits it, and not arithmetic
   */
  public boolean isMemoryBound(double flops, double bytes) {
    return bytes / bytesPerSecond > flops / flopsPerSecond;
  }

  private static Runnable dots(Workers workers) {
    float[] x = new float[2 * ROWS];
    float[] y = new float[ROWS * COLUMNS];
    float[][] results = new float[2 * workers.count()][COLUMNS];
    return () ->
        workers.run(
            workers.count(),
            thread -> {
              for (int i = 0; i < DOTS; i++) {
                dot(x, y, results[2 * thread], results[2 * thread + 1]);
              }
            });
  }

  /**
   * Adds the product of 2 rows and a matrix in the cache to 2 results. C2 makes vectors of it as
   * soon as it compiles it, within 0.1 s, which a whole product of matrices would not be.
   */
  private static void dot(float[] x, float[] y, float[] first, float[] second) {
    float a0 = x[0];
    float a1 = x[1];
    float a2 = x[2];
    float a3 = x[3];
    float a4 = x[4];
    float a5 = x[5];
    float a6 = x[6];
    float a7 = x[7];
    float b0 = x[ROWS];
    float b1 = x[ROWS + 1];
    float b2 = x[ROWS + 2];
    float b3 = x[ROWS + 3];
    float b4 = x[ROWS + 4];
    float b5 = x[ROWS + 5];
    float b6 = x[ROWS + 6];
    float b7 = x[ROWS + 7];
    for (int j = 0; j < COLUMNS; j++) {
      float s = first[j];
      float t = second[j];
      float y0 = y[j];
      s = Math.fma(a0, y0, s);
      t = Math.fma(b0, y0, t);
      float y1 = y[j + COLUMNS];
      s = Math.fma(a1, y1, s);
      t = Math.fma(b1, y1, t);
      float y2 = y[j + 2 * COLUMNS];
      s = Math.fma(a2, y2, s);
      t = Math.fma(b2, y2, t);
      float y3 = y[j + 3 * COLUMNS];
      s = Math.fma(a3, y3, s);
      t = Math.fma(b3, y3, t);
      float y4 = y[j + 4 * COLUMNS];
      s = Math.fma(a4, y4, s);
      t = Math.fma(b4, y4, t);
      float y5 = y[j + 5 * COLUMNS];
      s = Math.fma(a5, y5, s);
      t = Math.fma(b5, y5, t);
      float y6 = y[j + 6 * COLUMNS];
      s = Math.fma(a6, y6, s);
      t = Math.fma(b6, y6, t);
      float y7 = y[j + 7 * COLUMNS];
      s = Math.fma(a7, y7, s);
      t = Math.fma(b7, y7, t);
      first[j] = s;
      second[j] = t;
    }
  }

  private static Runnable copy(Workers workers) {
    float[] from = new float[ELEMENTS];
    float[] to = new float[ELEMENTS];
    int chunk = ELEMENTS / workers.count();
    return () ->
        workers.run(
            workers.count(),
            thread -> System.arraycopy(from, thread * chunk, to, thread * chunk, chunk));
  }

  /**
   * Returns the time of the fastest run.
   *
   * @param slow a time that shows that C2 has not compiled the work yet, for which it waits
   */
  private static double seconds(double slow, Runnable work) {
    double fastest = Double.POSITIVE_INFINITY;
    long start = System.nanoTime();
    long took = 0;
    while (took < (fastest > slow ? MAX_NANOS : NANOS)) {
      long begin = System.nanoTime();
      work.run();
      long end = System.nanoTime();
      fastest = Math.min(fastest, (end - begin) / 1e9);
      took = end - start;
    }
    return fastest;
  }
}
