package org.hlo4j.interpreter.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;

/** The deadline of work that waits for another system: it interrupts the wait. */
public final class OutsideDeadline {
  private static final ScheduledThreadPoolExecutor ALARMS = alarms();

  private final Thread waiting = Thread.currentThread();
  private boolean isOver;
  private boolean isPast;

  private OutsideDeadline() {}

  private static ScheduledThreadPoolExecutor alarms() {
    ScheduledThreadPoolExecutor alarms =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("hlo4j-outside-deadlines").factory());
    alarms.setRemoveOnCancelPolicy(true);
    return alarms;
  }

  /**
   * Does some work in this thread, which can be interrupted.
   *
   * @param <T> what the work gives
   * @param time how long it may take; empty for no limit
   * @param work the work
   * @return what it gives
   * @throws HloException of kind {@code LIMIT} if it takes longer
   */
  public static <T> T within(Optional<Duration> time, Supplier<T> work) {
    if (time.isEmpty() || time.get().compareTo(Duration.ofDays(100_000)) > 0) {
      return work.get();
    }
    OutsideDeadline deadline = new OutsideDeadline();
    ScheduledFuture<?> alarm =
        ALARMS.schedule(deadline::pass, time.get().toNanos(), TimeUnit.NANOSECONDS);
    try {
      return work.get();
    } catch (HloException interrupted) {
      if (interrupted.kind() == Kind.INTERRUPTED && deadline.end()) {
        throw new HloException(
            Kind.LIMIT,
            "run: got beyond the deadline of "
                + Limits.text(time.get())
                + "; what runs it goes on");
      }
      throw interrupted;
    } finally {
      alarm.cancel(false);
      deadline.end();
    }
  }

  private synchronized void pass() {
    if (!isOver) {
      isPast = true;
      waiting.interrupt();
    }
  }

  /** Ends the work, after which nothing interrupts the thread; whether the deadline has passed. */
  private synchronized boolean end() {
    if (!isOver && isPast) {
      Thread.interrupted(); // ours
    }
    isOver = true;
    return isPast;
  }
}
