package org.hlo4j.interpreter.compiled.gemm;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.hlo4j.interpreter.compiled.tiering.WarmupQueue;
import org.jspecify.annotations.Nullable;

/**
 * The cache of generated micro-kernels. A micro-kernel is generated when it is first asked for,
 * then warmed up in the background until C2 has compiled it. Until then it would be a thousand
 * times slower, so that callers use plain loops.
 */
final class MicroKernels {
  private static final ConcurrentMap<MicroKernelShape, CompletableFuture<@Nullable MicroKernel>>
      ALL = new ConcurrentHashMap<>();

  /**
   * The work that is reported to the warm-up queue: the maximum, since products take longest of all
   * by plain loops.
   */
  private static final long MAX_WORK = Long.MAX_VALUE;

  private MicroKernels() {}

  /**
   * {@return the micro-kernel if it is ready, otherwise null} The first call starts its warm-up.
   */
  static @Nullable MicroKernel getIfReady(MicroKernelShape shape) {
    CompletableFuture<@Nullable MicroKernel> known = ALL.get(shape);
    return (known == null ? ALL.computeIfAbsent(shape, MicroKernels::warmUp) : known).getNow(null);
  }

  /** Waits until all micro-kernels that have been asked for are ready or given up. */
  static void await() {
    ALL.values().forEach(CompletableFuture::join);
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
    Object a = copies.allocate(rows * maxSteps + maxSteps * shape.stepStride() + width);
    Object b = copies.allocate(maxSteps * Math.max(width, shape.laneStride()) + width);
    Object c = copies.allocate(Math.max(rows * shape.columns(), maxSteps) * width);
    return (microKernel, iterations) -> {
      int steps = iterations > 0 ? iterations : iterations - 1;
      microKernel.run(a, 0, maxSteps, b, 0, c, 0, width, steps, steps % 2 == 0);
    };
  }
}
