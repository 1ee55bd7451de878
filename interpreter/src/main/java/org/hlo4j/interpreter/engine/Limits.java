package org.hlo4j.interpreter.engine;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;

/**
 * The limits of compiling or running a module: the thread must stop once it is interrupted or a
 * deadline has passed. The limits are bound to the thread while the work is done, so that every
 * long loop can check them without receiving them as an argument.
 */
public final class Limits {
  private static final ScopedValue<Limits> CURRENT = ScopedValue.newInstance();

  /**
   * The number of elements between two checks, a power of two. An element takes some nanoseconds,
   * so that the interval is well below 1 ms.
   */
  private static final int ELEMENTS_BETWEEN_CHECKS = 4096;

  private final Optional<Duration> deadline;
  private final long start = System.nanoTime();

  /**
   * Creates the limits of work that begins now.
   *
   * @param deadline how long the work may take; empty for no limit
   */
  public Limits(Optional<Duration> deadline) {
    this.deadline = deadline.filter(Limits::ends);
  }

  /** Returns whether a duration fits the clock's nanoseconds, which last for 292 years. */
  private static boolean ends(Duration time) {
    return time.compareTo(Duration.ofNanos(Long.MAX_VALUE)) <= 0;
  }

  /**
   * Does some work within these limits, which {@link #checkCurrent} checks meanwhile.
   *
   * @param work the work, all of it in this thread
   * @return the result of the work
   */
  public <T> T within(Supplier<T> work) {
    return ScopedValue.where(CURRENT, this).call(work::get);
  }

  /**
   * Checks the limits of this thread.
   *
   * @throws HloException if the thread is interrupted or past the deadline
   */
  public static void checkCurrent() {
    if (CURRENT.isBound()) {
      CURRENT.get().check();
    }
  }

  /**
   * Checks the limits of this thread at every 4096th element. For loops over elements.
   *
   * @param element the number of the element
   * @throws HloException if the thread is interrupted or past the deadline
   */
  public static void checkAt(int element) {
    if ((element & (ELEMENTS_BETWEEN_CHECKS - 1)) == 0) {
      checkCurrent();
    }
  }

  /**
   * Checks these limits.
   *
   * @throws HloException if the thread is interrupted or past the deadline
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

  /** {@return a duration as readable text, such as {@code 2 s} or {@code 10 ms}} */
  public static String text(Duration time) {
    return time.toNanosPart() == 0 && !time.isZero()
        ? time.toSeconds() + " s"
        : BigDecimal.valueOf(time.toNanos(), 6).stripTrailingZeros().toPlainString() + " ms";
  }
}
