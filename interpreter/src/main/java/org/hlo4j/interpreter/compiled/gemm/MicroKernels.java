package org.hlo4j.interpreter.compiled.gemm;

import java.util.concurrent.CompletableFuture;
import org.hlo4j.interpreter.compiled.codegen.LruCache;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.hlo4j.interpreter.compiled.tiering.WarmupQueue;
import org.jspecify.annotations.Nullable;

/**
 * The cache of generated micro-kernels. A micro-kernel is generated once products that need it have
 * done enough work, then warmed up in the background until C2 has compiled it. Until then it would
 * be a thousand times slower, so that callers use plain loops.
 */
final class MicroKernels {
  private static final int MAX_KEPT = 1_000;
  private static final LruCache<MicroKernelShape, MicroKernels> ALL = new LruCache<>(MAX_KEPT);

  /** The work of a product whose tiles are warmed up at once. */
  static final double ENOUGH = 1 << 18;

  /**
   * The work that is reported to the warm-up queue: the maximum, since products take longest of all
   * by plain loops.
   */
  private static final long MAX_WORK = Long.MAX_VALUE;

  private final MicroKernelShape shape;
  private double work;
  private @Nullable CompletableFuture<@Nullable MicroKernel> warmup;

  private MicroKernels(MicroKernelShape shape) {
    this.shape = shape;
  }

  /**
   * {@return the micro-kernel if it is ready, otherwise null} Starts its warm-up once the work of
   * all calls is {@link #ENOUGH}.
   *
   * @param work the number of multiply-adds for which it is needed now
   */
  static @Nullable MicroKernel getIfReady(MicroKernelShape shape, double work) {
    CompletableFuture<@Nullable MicroKernel> started =
        ALL.get(shape, () -> new MicroKernels(shape)).started(work);
    return started == null ? null : WarmupQueue.getIfReady(started);
  }

  private synchronized @Nullable CompletableFuture<@Nullable MicroKernel> started(double more) {
    work += more;
    if (warmup != null && warmup.isCancelled()) {
      work = more;
      warmup = null;
    }
    if (warmup == null && work >= ENOUGH) {
      warmup = warmUp(shape);
    }
    return warmup;
  }

  /** Warms up all micro-kernels that have been asked for, and waits until each is ready. */
  static void await() {
    for (MicroKernels each : ALL.values()) {
      CompletableFuture<@Nullable MicroKernel> started = each.started(ENOUGH);
      if (started != null) {
        var _ = started.exceptionally(cancelled -> null).join();
      }
    }
  }

  private static CompletableFuture<@Nullable MicroKernel> warmUp(MicroKernelShape shape) {
    return WarmupQueue.start(
        null,
        () -> shape.isCopy() ? RowCopyCode.generate(shape) : MicroKernelCode.generate(shape),
        () -> warmup(shape),
        () -> MAX_WORK);
  }

  /**
   * {@return the input of the warm-up} Its arrays are large enough for the maximum number of
   * iterations, which is also the stride of the rows of a.
   */
  static WarmupInput<MicroKernel> warmup(MicroKernelShape shape) {
    MatrixCopies copies = MatrixCopies.of(shape.accumulatorType());
    int width = shape.width();
    int maxSteps = WarmupInput.ITERATIONS;
    int rows = shape.isCopy() ? maxSteps : shape.rows();
    int aStep = shape.stepStride() == 0 ? width : shape.stepStride();
    int bStride = width * shape.columns();
    int window = shape.window() - 1;
    Object a = copies.allocate((rows + window) * maxSteps + maxSteps * aStep + width);
    Object b = copies.allocate(maxSteps * bStride + window * maxSteps + width);
    Object c = copies.allocate(Math.max(rows * shape.columns(), maxSteps) * width);
    int[] table = shape.hasTable() ? new int[maxSteps] : MicroKernel.NO_TABLE;
    int aStepOrFirst = shape.hasTable() ? 0 : aStep;
    return (microKernel, iterations) -> {
      int steps = iterations > 0 ? iterations : iterations - 1;
      boolean add = steps % 2 == 0;
      microKernel.run(a, 0, maxSteps, aStepOrFirst, b, 0, bStride, c, 0, width, steps, add, table);
    };
  }
}
