package org.hlo4j.interpreter.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * The first run of a program. Somebody waits for its result, so work in the background that only
 * makes later runs faster waits for its end, though not for long.
 */
public final class FirstRun {
  private static final long MAX_NANOS = 500_000_000;
  private static final long PAUSE_NANOS = 2_000_000;

  /** The time until which work in the background waits, as {@link System#nanoTime} tells it. */
  private static volatile long end = System.nanoTime();

  private final AtomicBoolean hasBegun = new AtomicBoolean();

  FirstRun() {}

  /** Runs the program. If it is the first time, work in the background waits. */
  <T> T run(Supplier<T> run) {
    if (!hasBegun.compareAndSet(false, true)) {
      return run.get();
    }
    end = System.nanoTime() + MAX_NANOS;
    try {
      return run.get();
    } finally {
      end = System.nanoTime();
    }
  }

  /** Returns once no first run is under way, or it has taken half a second. */
  public static void await() {
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
