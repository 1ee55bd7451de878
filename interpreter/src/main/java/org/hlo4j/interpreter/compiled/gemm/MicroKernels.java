package org.hlo4j.interpreter.compiled.gemm;

import java.util.concurrent.CompletableFuture;
import org.hlo4j.interpreter.compiled.codegen.LruCache;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.hlo4j.interpreter.compiled.tiering.WarmupQueue;
import org.hlo4j.interpreter.engine.Warmup;
import org.jspecify.annotations.Nullable;

/**
 * The cache of generated micro-kernels. A micro-kernel is generated once products that need it have
 * done enough work, then warmed up in the background until C2 has compiled it. Until then it would
 * be a thousand times slower, so that callers use plain loops.
 *
 * @param <T> the interface of the micro-kernels of a shape
 */
final class MicroKernels<T> {
  private static final int MAX_KEPT = 1_000;
  private static final LruCache<Shape<?>, MicroKernels<?>> ALL = new LruCache<>(MAX_KEPT);

  /** The work of a product whose tiles are warmed up at once. */
  private static final double ENOUGH = 1 << 18;

  /**
   * The work that is reported to the warm-up queue, beside the multiply-adds: more than any loop
   * has, since products take longest of all by plain loops.
   */
  private static final long WORK_OF_PRODUCTS = Long.MAX_VALUE / 2;

  /**
   * The parameters of a micro-kernel, which its class is generated for.
   *
   * @param <T> the interface of the micro-kernel
   */
  interface Shape<T> {
    /** {@return a micro-kernel of a new class} */
    T generate();

    /** {@return the input of the warm-up, with arrays for the maximum number of iterations} */
    WarmupInput<T> warmup();
  }

  private final Shape<T> shape;
  private volatile double work;
  private @Nullable CompletableFuture<@Nullable T> warmup;

  private MicroKernels(Shape<T> shape) {
    this.shape = shape;
  }

  /**
   * {@return the micro-kernel if it is ready, otherwise null} Starts its warm-up once the work of
   * all calls is {@link #ENOUGH}.
   *
   * @param work the number of multiply-adds for which it is needed now
   */
  @SuppressWarnings("unchecked") // the kernels of a shape are those that it generates
  static <T> @Nullable T getIfReady(Shape<T> shape, double work) {
    CompletableFuture<@Nullable T> started =
        ((MicroKernels<T>) ALL.get(shape, () -> new MicroKernels<>(shape))).started(work);
    T ready = started == null ? null : WarmupQueue.getIfReady(started);
    if (ready == null && (started == null || !started.isDone())) {
      Warmup.missed();
    }
    return ready;
  }

  private synchronized @Nullable CompletableFuture<@Nullable T> started(double more) {
    work += more;
    if (warmup != null && warmup.isCancelled()) {
      work = more;
      warmup = null;
    }
    if (warmup == null && (work >= ENOUGH || Warmup.isUnderWay())) {
      warmup = WarmupQueue.start(null, shape::generate, shape::warmup, this::waitingWork);
    }
    return warmup;
  }

  private long waitingWork() {
    return WORK_OF_PRODUCTS + (long) Math.min(work, WORK_OF_PRODUCTS);
  }

  /** Warms up all micro-kernels that have been asked for, and waits until each is ready. */
  static void await() {
    for (MicroKernels<?> each : ALL.values()) {
      CompletableFuture<?> started = each.started(ENOUGH);
      if (started != null) {
        var _ = started.handle((kernel, cancelled) -> true).join();
      }
    }
  }
}
