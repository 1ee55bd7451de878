package org.hlo4j.interpreter.compiled.loops;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Generated code in two forms that compute the same bits: one that is fast at once, and one of
 * vectors, which runs a thousand times slower until C2 has compiled it. Once there has been enough
 * work, the latter is made and run on scratch data by a thread in the background, then offered.
 */
public final class Tiered<T> {
  private static final int CALLS = 3_000;
  private static final int LEAST_CALLS = 1_500;
  private static final long FAST_NANOS = 5_000;
  private static final long PATIENCE_NANOS = 3_000_000_000L;
  private static final ExecutorService TRAINER =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("hlo4j-trainer").factory());

  private final T first;
  private final Supplier<@Nullable T> making;
  private final Consumer<T> practice;
  private final long enough;
  private final AtomicLong work = new AtomicLong();
  private final AtomicBoolean asked = new AtomicBoolean();
  private volatile @Nullable T second;

  /**
   * Code in two forms.
   *
   * @param first the form that is fast at once
   * @param making makes the other; gives null if there is none
   * @param practice a call of it on scratch data that takes about a microsecond
   * @param enough how much work makes it worth while
   */
  public Tiered(T first, Supplier<@Nullable T> making, Consumer<T> practice, long enough) {
    this.first = first;
    this.making = making;
    this.practice = practice;
    this.enough = enough;
  }

  /** {@return the form that is fast at once} */
  public T first() {
    return first;
  }

  /**
   * {@return the form of vectors, or null as long as it is not ready}
   *
   * @param amount how much work it is asked for
   */
  public @Nullable T second(long amount) {
    T ready = second;
    if (ready == null && !asked.get() && work.addAndGet(amount) >= enough) {
      train();
    }
    return ready;
  }

  private void train() {
    if (asked.compareAndSet(false, true)) {
      TRAINER.execute(() -> second = trained());
    }
  }

  /** Makes the form of vectors ready now, slow as it may still be. */
  public void prepare() {
    if (asked.compareAndSet(false, true)) {
      second = making.get();
    }
  }

  private @Nullable T trained() {
    T made = making.get();
    if (made == null) {
      return null;
    }
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    for (int call = 0; call < CALLS && System.nanoTime() < deadline; call++) {
      long start = System.nanoTime();
      practice.accept(made);
      if (call > LEAST_CALLS && System.nanoTime() - start < FAST_NANOS) {
        break;
      }
    }
    return made;
  }
}
