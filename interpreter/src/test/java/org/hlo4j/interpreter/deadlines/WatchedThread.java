package org.hlo4j.interpreter.deadlines;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicLong;
import org.hlo4j.hlo.HloException;

/**
 * A thread that observes how often its work asks whether it is interrupted, from whatever thread,
 * and that says yes after some time or number of questions.
 */
final class WatchedThread extends Thread {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long NANOS = 1_000_000;

  private final AtomicLong checks = new AtomicLong();
  private final Runnable work;
  private final long maxMillis;
  private final long maxChecks;
  private long start;
  private long end;
  private long last;
  private long longest;
  private StackTraceElement[] place = {};
  private String outcome = "done";

  private WatchedThread(Runnable work, long maxMillis, long maxChecks) {
    super(null, null, "watched", 1 << 23);
    this.work = work;
    this.maxMillis = maxMillis;
    this.maxChecks = maxChecks;
  }

  /** Does some work in a new thread, which is interrupted after some time. */
  static WatchedThread of(Runnable work, long maxMillis) throws InterruptedException {
    return done(new WatchedThread(work, maxMillis, Long.MAX_VALUE));
  }

  /** Does some work in a new thread, which is interrupted when it has asked often enough. */
  static WatchedThread untilChecks(Runnable work, long checks) throws InterruptedException {
    return done(new WatchedThread(work, Long.MAX_VALUE / NANOS, checks));
  }

  private static WatchedThread done(WatchedThread thread) throws InterruptedException {
    thread.start();
    thread.join();
    return thread;
  }

  @Override
  public void run() {
    start = System.nanoTime();
    last = THREADS.getCurrentThreadCpuTime();
    try {
      work.run();
    } catch (HloException refused) {
      outcome = refused.summary();
    } catch (RuntimeException | Error broken) {
      outcome = broken.toString();
    }
    end = System.nanoTime();
    check(new StackTraceElement[0]);
  }

  @Override
  public boolean isInterrupted() {
    if (Thread.currentThread() == this) {
      check(null);
    }
    return checks.incrementAndGet() >= maxChecks || millis(System.nanoTime()) > maxMillis;
  }

  /** Notes the processor time since the last check, which does not depend on other processes. */
  private void check(StackTraceElement[] here) {
    long now = THREADS.getCurrentThreadCpuTime();
    if (now - last > longest) {
      longest = now - last;
      place = here == null && longest > 50 * NANOS ? new Throwable().getStackTrace() : here;
    }
    last = THREADS.getCurrentThreadCpuTime();
  }

  /** {@return how often the work asked} */
  long checks() {
    return checks.get();
  }

  /** {@return how long it took} */
  long millis() {
    return millis(end);
  }

  private long millis(long now) {
    return (now - start) / NANOS;
  }

  /** {@return the longest processor time between two questions in this thread, in ms} */
  long longestMillis() {
    return longest / NANOS;
  }

  /** {@return what asked after the longest time; empty if it was the end} */
  StackTraceElement[] place() {
    return place == null ? new StackTraceElement[0] : place;
  }

  /** {@return {@code done}, or the message of the exception that ended the work} */
  String outcome() {
    return outcome;
  }
}
