package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The limits of compiling or running a module: the work must stop once the thread that began it is
 * interrupted or a deadline has passed. The limits are bound to the thread while the work is done,
 * so that every long loop can check them without receiving them as an argument. Threads that share
 * the work check the limits of the thread that submitted it. Work that begins within other work, as
 * a run in a user's function, is within its limits too.
 */
public final class Limits {
  private static final ScopedValue<Limits> CURRENT = ScopedValue.newInstance();

  /**
   * The number of elements between two checks, a power of two. An element takes some nanoseconds,
   * so that the interval is well below 1 ms.
   */
  private static final int ELEMENTS_BETWEEN_CHECKS = 4096;

  private static final long WAIT_MILLIS = 10;

  private final Optional<Duration> deadline;
  private final long maxBytes;
  private final @Nullable Limits outer = current();
  private final Thread owner = Thread.currentThread();
  private final long start = System.nanoTime();
  private volatile boolean isInterrupted;

  /**
   * Creates the limits of work that begins now, in this thread.
   *
   * @param deadline how long the work may take; empty for no limit
   * @param maxBytes how many bytes the tables of a kernel may have
   */
  public Limits(Optional<Duration> deadline, long maxBytes) {
    this.deadline = deadline.filter(Limits::ends);
    this.maxBytes = maxBytes;
  }

  /**
   * Throws if a kernel that is being made needs more memory than the limit on bytes.
   *
   * @param bytes the number of bytes
   * @param purpose what they are for
   * @throws HloException if there are too many
   */
  public static void requireMemory(long bytes, String purpose) {
    long most = CURRENT.isBound() ? CURRENT.get().maxBytes : Long.MAX_VALUE;
    require(
        bytes <= most,
        Kind.LIMIT,
        "compile: %s got %s bytes, want at most %s",
        purpose,
        bytes,
        most);
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

  /** Does some work of another thread within these limits, in this thread. */
  void share(Runnable work) {
    ScopedValue.where(CURRENT, this).run(work);
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

  /** {@return the limits that are bound to this thread, if any} */
  static @Nullable Limits current() {
    return CURRENT.isBound() ? CURRENT.get() : null;
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
   * Does some work that only one thread may do at a time. The limits of this thread are checked
   * while it waits for the others.
   *
   * @param lock the lock that the threads share
   * @param work the work
   * @return the result of the work
   * @throws HloException if the thread is interrupted or past the deadline
   */
  public static <T> T exclusively(ReentrantLock lock, Supplier<T> work) {
    acquire(lock);
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  private static void acquire(ReentrantLock lock) {
    try {
      while (!lock.tryLock(WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
        checkCurrent();
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw interrupted();
    }
  }

  private static HloException interrupted() {
    return new HloException(Kind.INTERRUPTED, "run: interrupted");
  }

  /**
   * Ends the work of other threads because this one was interrupted while it waited for them, which
   * its own flag does not tell any more.
   */
  void interrupt() {
    isInterrupted = true;
  }

  /**
   * Checks these limits, from any thread.
   *
   * @throws HloException if the thread that began the work is interrupted or past the deadline
   */
  public void check() {
    if (isInterrupted || owner.isInterrupted()) {
      throw interrupted();
    }
    if (deadline.isPresent()) {
      checkTime(deadline.get());
    }
    if (outer != null) {
      outer.check();
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
