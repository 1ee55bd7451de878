package org.hlo4j.interpreter.compiled.gemm;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.hlo4j.interpreter.compiled.tiering.WarmupQueue;
import org.jspecify.annotations.Nullable;

/**
 * The generated tiles that are ready: made when first asked for, then warmed up in the background
 * until C2 has compiled them. Before that they would be a thousand times slower, so that those who
 * ask do without.
 */
final class MicroKernels {
  private static final ConcurrentMap<MicroKernelShape, CompletableFuture<@Nullable MicroKernel>>
      ALL = new ConcurrentHashMap<>();

  /** Whatever it is: plain loops make products take longest of all. */
  private static final long MAX_WORK = Long.MAX_VALUE;

  private MicroKernels() {}

  /** The tile if it is ready; else its warm-up begins, or goes on. */
  static @Nullable MicroKernel ready(MicroKernelShape form) {
    CompletableFuture<@Nullable MicroKernel> known = ALL.get(form);
    return (known == null ? ALL.computeIfAbsent(form, MicroKernels::warmUp) : known).getNow(null);
  }

  /** Waits until all tiles asked for so far are ready or given up. */
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

  /** Arrays for as many iterations as there are at most; rows of a lie that far apart. */
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
