package org.hlo4j.interpreter.compiled.loops;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.hlo4j.interpreter.compiled.loops.Tiered.Practice;
import org.jspecify.annotations.Nullable;

/**
 * Brings a form of vectors to where C2 compiles it, in the background and with little work. The
 * virtual machine counts calls and turns, and as long as it does both are slow; so most calls only
 * count ({@link Tiered#writeCounting}), and as few do something as C2 needs to see what is usual.
 * It is ready when its vectors are no objects any more. Several forms are trained by turns: while
 * C2 compiles one, another practises.
 */
final class Training<T> {
  /** Turns of a call that does something. */
  static final int TURNS = 32;

  /** Fewer than any loop makes at once. */
  private static final int FEW_TURNS = 3;

  /** Of calls that do something: with all turns, few, and two with some fewer. */
  private static final int KINDS = 4;

  /** Calls that only count, for each that does something. */
  private static final int IDLE_CALLS = 30;

  /** C1 compiles what was called 200 times, C2 what was called 600 to 5,000 times after that. */
  private static final int CALLS = 36;

  /** With 15,000 turns, 600 calls are enough; 40,000 would have C2 compile the counting. */
  private static final int IDLE_TURNS = 16;

  private static final int ROUNDS_WITH_IDLE_TURNS = 2;

  /** After so many rounds C2 has seen enough, but has others to serve first. */
  private static final int ROUNDS = 8;

  private static final int TIMED_CALLS = 16;
  private static final long PRACTICE_NANOS = 4_000_000;
  private static final long REST_MICROS = 1_000;
  private static final long PATIENCE_NANOS = 7_000_000_000L;

  /** Now and then C2 makes a bad job of a class, for good; then another one is better. */
  private static final int ATTEMPTS = 3;

  /** Timing is not exact: a little slower counts as fast. */
  private static final double AS_FAST = 1.1;

  /** How often it may be compiled and still be slower than the first form. */
  private static final int MOST_LOST = 20;

  /** Less than any object. */
  private static final int BYTES = 16;

  private static final ScheduledExecutorService TRAINER =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("hlo4j-trainer").factory());

  private final T first;
  private final T made;
  private final Practice<T> practice;
  private final Consumer<T> whenReady;
  private final Runnable whenSpoilt;
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final long deadline = System.nanoTime() + PATIENCE_NANOS;
  private int round;
  private int lost;
  private int called;

  private Training(
      T first, T made, Practice<T> practice, Consumer<T> whenReady, Runnable whenSpoilt) {
    this.first = first;
    this.made = made;
    this.practice = practice;
    this.whenReady = whenReady;
    this.whenSpoilt = whenSpoilt;
  }

  /** Makes a form of vectors and trains it; tells when it is as fast as the first. */
  static <T> void start(
      T first,
      Supplier<@Nullable T> making,
      Supplier<Practice<T>> practice,
      Consumer<T> whenReady) {
    attempt(ATTEMPTS, first, making, practice, whenReady);
  }

  private static <T> void attempt(
      int left,
      T first,
      Supplier<@Nullable T> making,
      Supplier<Practice<T>> practice,
      Consumer<T> whenReady) {
    TRAINER.execute(() -> {
      T made = making.get();
      if (made != null) {
        Runnable again =
            left > 1 ? () -> attempt(left - 1, first, making, practice, whenReady) : () -> {};
        new Training<>(first, made, practice.get(), whenReady, again).begin();
      }
    });
  }

  private void begin() {
    practise(made, 1);
    rest();
  }

  private void rest() {
    var _ = TRAINER.schedule(this::goOn, REST_MICROS, TimeUnit.MICROSECONDS);
  }

  private void goOn() {
    round++;
    if (isCompiled()) {
      if (fastest(made) <= AS_FAST * fastest(first)) {
        whenReady.accept(made);
        return;
      }
      lost++;
    } else {
      practise(made, TURNS);
    }
    if (System.nanoTime() > deadline) {
      whenSpoilt.run();
    } else if (lost < MOST_LOST) {
      rest();
    }
  }

  private void practise(T form, int turns) {
    long end = System.nanoTime() + PRACTICE_NANOS;
    int counted = round > ROUNDS_WITH_IDLE_TURNS ? 0 : -IDLE_TURNS;
    for (int call = 0; call < CALLS && System.nanoTime() < end; call++) {
      for (int idle = 0; idle < IDLE_CALLS; idle++) {
        practice.call(form, counted);
      }
      if (round <= ROUNDS) {
        practice.call(form, turns(called++, turns));
      }
    }
  }

  /**
   * All turns, some fewer, or few: what always does the same in practice is compiled for that, and
   * undone when it does otherwise.
   */
  private static int turns(int call, int most) {
    int kind = call % KINDS;
    return kind == 0 ? most : kind == 1 ? Math.min(FEW_TURNS, most) : Math.max(1, most - kind);
  }

  /** Whether its vectors are in registers; before that, each is an object. */
  private boolean isCompiled() {
    for (int kind = 0; kind < KINDS; kind++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      practice.call(made, turns(kind, TURNS));
      if (threads.getCurrentThreadAllocatedBytes() - before >= TURNS * BYTES) {
        return false;
      }
    }
    return true;
  }

  private long fastest(T form) {
    long least = Long.MAX_VALUE;
    for (int call = 0; call < TIMED_CALLS; call++) {
      long start = System.nanoTime();
      practice.call(form, TURNS);
      least = Math.min(least, System.nanoTime() - start);
    }
    return Math.max(1, least);
  }
}
