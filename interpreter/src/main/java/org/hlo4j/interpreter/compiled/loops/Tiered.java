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
 * work, the latter is made and run on scratch data by a thread in the background, and offered once
 * it is as fast as the former: for a few types and ops it never is.
 */
public final class Tiered<T> {
  private static final int CALLS = 3_000;
  private static final int LEAST_CALLS = 1_500;
  private static final long FAST_NANOS = 5_000;
  private static final long ROUND_NANOS = 3_000_000_000L;
  private static final long PATIENCE_NANOS = 20_000_000_000L;
  private static final int FIRST_CALLS = 600;
  private static final int TIMED_CALLS = 20;
  private static final int MOST_ROUNDS = 3;
  private static final long REST_MILLIS = 50;

  /** Timing is not exact: a little slower counts as fast. */
  private static final double AS_FAST = 1.1;

  /** What is slower than this is still being compiled. */
  private static final double NOT_COMPILED = 5;

  private static final ExecutorService TRAINER =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("hlo4j-trainer").factory());

  private final T first;
  private final Supplier<@Nullable T> making;
  private final Supplier<Consumer<T>> practice;
  private final long enough;
  private final int calls;
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
    this(first, making, () -> practice, enough, CALLS);
  }

  /**
   * Code in two forms.
   *
   * @param first the form that is fast at once
   * @param making makes the other; gives null if there is none
   * @param practice makes scratch data, and gives a call of the code on it
   * @param enough how much work makes it worth while
   * @param calls how often to practise, at least 600 times for C2 to compile it
   */
  public Tiered(
      T first,
      Supplier<@Nullable T> making,
      Supplier<Consumer<T>> practice,
      long enough,
      int calls) {
    this.first = first;
    this.making = making;
    this.practice = practice;
    this.enough = enough;
    this.calls = calls;
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

  /** The form of vectors once it is as fast as the first; null if it never gets so. */
  private @Nullable T trained() {
    T made = making.get();
    if (made == null) {
      return null;
    }
    Consumer<T> calling = practice.get();
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    for (int round = 1; System.nanoTime() < deadline; round++) {
      practise(calling, made, calls);
      practise(calling, first, FIRST_CALLS);
      double ratio = (double) fastest(calling, made) / fastest(calling, first);
      if (ratio <= AS_FAST) {
        return made;
      } else if ((ratio < NOT_COMPILED && round >= MOST_ROUNDS) || !rested()) {
        return null;
      }
    }
    return null;
  }

  private static <T> void practise(Consumer<T> calling, T form, int times) {
    long deadline = System.nanoTime() + ROUND_NANOS;
    for (int call = 0; call < times && System.nanoTime() < deadline; call++) {
      long start = System.nanoTime();
      calling.accept(form);
      if (call > LEAST_CALLS && System.nanoTime() - start < FAST_NANOS) {
        break;
      }
    }
  }

  private static <T> long fastest(Consumer<T> calling, T form) {
    long least = Long.MAX_VALUE;
    for (int call = 0; call < TIMED_CALLS; call++) {
      long start = System.nanoTime();
      calling.accept(form);
      least = Math.min(least, System.nanoTime() - start);
    }
    return Math.max(1, least);
  }

  /** Leaves the processor to C2 for a while. */
  private static boolean rested() {
    try {
      Thread.sleep(REST_MILLIS);
      return true;
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
