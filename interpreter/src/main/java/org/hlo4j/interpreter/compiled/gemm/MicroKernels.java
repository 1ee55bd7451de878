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
  static @Nullable MicroKernel ready(MicroKernelShape form) {
    CompletableFuture<@Nullable MicroKernel> known = ALL.get(form);
    return (known == null ? ALL.computeIfAbsent(form, MicroKernels::warmUp) : known).getNow(null);
  }

  /** Waits until all micro-kernels that have been asked for are ready or given up. */
  static void await() {
    ALL.values().forEach(CompletableFuture::join);
  }

  private static CompletableFuture<@Nullable MicroKernel> warmUp(MicroKernelShape form) {
    return WarmupQueue.start(
        null,
        () -> form.copies() ? RowCopyCode.tile(form) : MicroKernelCode.tile(form),
        () -> warmup(form),
        () -> MAX_WORK);
  }

  /**
   * {@return the input of the warm-up} Its arrays are large enough for the maximum number of
   * iterations, which is also the stride of the rows of a.
   */
  static WarmupInput<MicroKernel> warmup(MicroKernelShape form) {
    MatrixCopies movement = MatrixCopies.of(form.carrier());
    int width = form.width();
    int most = WarmupInput.ITERATIONS;
    int rows = form.copies() ? most : form.rows();
    Object a = movement.allocate(rows * most + most * form.stepStride() + width);
    Object b = movement.allocate(most * Math.max(width, form.laneStride()) + width);
    Object c = movement.allocate(Math.max(rows * form.columns(), most) * width);
    return (tile, iterations) -> {
      int steps = iterations > 0 ? iterations : iterations - 1;
      tile.run(a, 0, most, b, 0, c, 0, width, steps, steps % 2 == 0);
    };
  }
}
