package org.hlo4j.interpreter.engine;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;

/**
 * When a thread has to stop compiling or running a module: once it is interrupted, or a deadline
 * has passed. The limits are bound to the thread for as long as the work takes, so that every long
 * loop can check them without having them handed in.
 */
public final class Limits {
  private static final ScopedValue<Limits> CURRENT = ScopedValue.newInstance();

  /** A power of two. Elements take some nanoseconds each, so that this is well below 1 ms. */
  private static final int ELEMENTS_BETWEEN_CHECKS = 4096;

  private final Optional<Duration> deadline;
  private final long start = System.nanoTime();

  /**
   * Limits of work that begins now.
   *
   * @param deadline how long it may take; empty for as long as it needs
   */
  public Limits(Optional<Duration> deadline) {
    this.deadline = deadline.filter(Limits::ends);
  }

  /** Whether a time is one that the clock's nanoseconds can count, 292 years. */
  private static boolean ends(Duration time) {
    return time.compareTo(Duration.ofNanos(Long.MAX_VALUE)) <= 0;
  }

  /**
   * Does some work within these limits, which {@link #checkCurrent} then checks.
   *
   * @param work the work, all of it in this thread
   * @return what it gives
   */
  public <T> T within(Supplier<T> work) {
    return ScopedValue.where(CURRENT, this).call(work::get);
  }

  /**
   * Checks the limits of this thread.
   *
   * @throws HloException if it is interrupted or late
   */
  public static void checkCurrent() {
    if (CURRENT.isBound()) {
      CURRENT.get().check();
    }
  }

  /**
   * Checks the limits of this thread now and then; for loops over elements.
   *
   * @param element the number of the element
   * @throws HloException if the thread is interrupted or late
   */
  public static void checkAt(int element) {
    if ((element & (ELEMENTS_BETWEEN_CHECKS - 1)) == 0) {
      checkCurrent();
    }
  }

  /**
   * Checks these limits.
   *
   * @throws HloException if the thread is interrupted or late
   */
  public void check() {
    if (Thread.currentThread().isInterrupted()) {
      throw new HloException(Kind.INTERRUPTED, "run: interrupted");
    }
    if (deadline.isPresent()) {
      checkTime(deadline.get());
    }
  }

  private void checkTime(Duration time) {
    if (System.nanoTime() - start > time.toNanos()) {
      throw new HloException(Kind.LIMIT, "run: got beyond the deadline of " + text(time));
    }
  }

  /** {@return a time as people write it, such as {@code 2 s} or {@code 10 ms}} */
  public static String text(Duration time) {
    return time.toNanosPart() == 0 && !time.isZero()
        ? time.toSeconds() + " s"
        : BigDecimal.valueOf(time.toNanos(), 6).stripTrailingZeros().toPlainString() + " ms";
  }
}
