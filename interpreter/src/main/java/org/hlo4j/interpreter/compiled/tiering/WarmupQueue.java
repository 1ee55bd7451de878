package org.hlo4j.interpreter.compiled.tiering;

import static java.util.Comparator.comparingLong;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.hlo4j.interpreter.engine.FirstRun;
import org.hlo4j.interpreter.engine.Workers;
import org.jspecify.annotations.Nullable;

/**
 * A queue of generated code, mostly vector forms, that is warmed up in a background thread until it
 * is ready or given up. Entries for which most work waits are first. A few entries are warmed up
 * round-robin: while C2 compiles one, another one runs, and an entry that C2 compiles badly does
 * not delay the others for long. No warm-up begins while a program runs for the first time.
 *
 * @param <T> the type of the code
 */
public final class WarmupQueue<T> {
  private static final long PAUSE_MICROS = 1_000;

  /**
   * The pause after C2 has been asked to compile: running the code leaves C2 less processor time.
   */
  private static final long LONG_PAUSE_MICROS = 4_000;

  /**
   * Now and then C2 compiles a class badly, and never compiles it again. A new class with the same
   * code may fare better.
   */
  private static final int MAX_ATTEMPTS = 6;

  /** The number of entries that are warmed up at once: enough to keep C2 busy. */
  private static final int MAX_ACTIVE = 4;

  /** An entry that takes longer than this no longer counts towards {@link #MAX_ACTIVE}. */
  private static final long LONG_NANOS = 300_000_000;

  /**
   * The number of entries that may wait. They take a tenth of a second of C2's time each, so that
   * the last of more would wait for longer than it is needed.
   */
  static final int MAX_WAITING = 256;

  private static final List<WarmupQueue<?>> WAITING = new ArrayList<>();
  private static final Comparator<WarmupQueue<?>> BY_WORK =
      comparingLong(entry -> entry.work.getAsLong());

  private static int activeCount;

  private static final ScheduledExecutorService EXECUTOR = Workers.background("hlo4j-trainer");

  private final @Nullable T first;
  private final Supplier<@Nullable T> making;
  private final Supplier<WarmupInput<T>> warmup;
  private final LongSupplier work;
  private final CompletableFuture<@Nullable T> result = new CompletableFuture<>();
  private int attempts;
  private long began;
  private boolean isActive;

  private WarmupQueue(
      @Nullable T first,
      Supplier<@Nullable T> making,
      Supplier<WarmupInput<T>> warmup,
      LongSupplier work) {
    this.first = first;
    this.making = making;
    this.warmup = warmup;
    this.work = work;
  }

  /**
   * Adds an entry to the queue.
   *
   * @param first a form that is fast at once, with which the other one is compared; null if there
   *     is none
   * @param making generates the other form; gives null if there is none
   * @param warmup allocates made-up inputs, and runs code on them
   * @param work how much work has waited for the other form so far
   * @return the other form, once it is ready; null, once it is given up; cancelled if the queue is
   *     full and more work waits for each other entry, so that it may be started again
   */
  public static <T> CompletableFuture<@Nullable T> start(
      @Nullable T first,
      Supplier<@Nullable T> making,
      Supplier<WarmupInput<T>> warmup,
      LongSupplier work) {
    WarmupQueue<T> queued = new WarmupQueue<>(first, making, warmup, work);
    Workers.compilationBegins();
    WarmupQueue<?> least = null;
    synchronized (WAITING) {
      WAITING.add(queued);
      if (WAITING.size() > MAX_WAITING) {
        least = Collections.min(WAITING.reversed(), BY_WORK);
        WAITING.remove(least);
      }
    }
    if (least != null) {
      Workers.compilationEnds();
      least.result.cancel(false);
    }
    EXECUTOR.execute(WarmupQueue::beginNext);
    return queued.result;
  }

  /** Returns the other form if it is ready; null if it is not yet, is given up or cancelled. */
  public static <T> @Nullable T getIfReady(CompletableFuture<@Nullable T> started) {
    return started.isDone() && !started.isCancelled() ? started.join() : null;
  }

  private static void beginNext() {
    FirstRun.await();
    while (activeCount < MAX_ACTIVE) {
      WarmupQueue<?> next;
      synchronized (WAITING) {
        if (WAITING.isEmpty()) {
          return;
        }
        next = Collections.max(WAITING, BY_WORK);
        WAITING.remove(next);
      }
      next.begin();
    }
  }

  private void begin() {
    began = System.nanoTime();
    isActive = true;
    activeCount++;
    runOrGiveUp(this::attempt);
  }

  private void deactivate() {
    if (isActive) {
      isActive = false;
      activeCount--;
      EXECUTOR.execute(WarmupQueue::beginNext);
    }
  }

  private void end(@Nullable T vectorForm) {
    deactivate();
    Workers.compilationEnds();
    result.complete(vectorForm);
  }

  private void attempt() {
    attempts++;
    T made = making.get();
    if (made == null) {
      end(null);
    } else {
      WarmupRun<T> warmupRun = new WarmupRun<>(first, made, warmup.get(), attempts);
      warmupRun.begin();
      scheduleNextRound(warmupRun);
    }
  }

  private void scheduleNextRound(WarmupRun<T> warmupRun) {
    var _ =
        EXECUTOR.schedule(
            () -> runOrGiveUp(() -> runRound(warmupRun)),
            warmupRun.hasReachedThreshold() ? LONG_PAUSE_MICROS : PAUSE_MICROS,
            TimeUnit.MICROSECONDS);
  }

  private void runRound(WarmupRun<T> warmupRun) {
    if (System.nanoTime() - began > LONG_NANOS) {
      deactivate();
    }
    switch (warmupRun.runRound()) {
      case WARMING_UP -> scheduleNextRound(warmupRun);
      case READY -> end(warmupRun.made());
      case SLOWER -> end(null);
      case BADLY_COMPILED -> {
        if (attempts < MAX_ATTEMPTS) {
          attempt();
        } else {
          giveUp(warmupRun.made() + " is not compiled well", null);
        }
      }
    }
  }

  /** Gives the entry up whatever is thrown, since callers wait for it and other entries follow. */
  private void runOrGiveUp(Runnable step) {
    try {
      step.run();
    } catch (Exception | Error problem) {
      giveUp("a vector kernel does not work", problem);
    }
  }

  private void giveUp(String why, @Nullable Throwable problem) {
    end(null);
    System.getLogger(WarmupQueue.class.getName())
        .log(Level.DEBUG, "hlo4j: " + why + "; loops without vectors do its work", problem);
  }
}
