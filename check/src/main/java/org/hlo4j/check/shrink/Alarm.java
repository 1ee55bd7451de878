package org.hlo4j.check.shrink;

import java.time.Duration;
import java.util.function.Predicate;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;

/** The end of a search: what runs in its thread then is interrupted. */
final class Alarm implements AutoCloseable {
  private final long end;
  private final Thread waiting;
  private boolean isChecking;
  private boolean hasRung;

  /** Sets an alarm of the thread that creates it. */
  Alarm(Duration time) {
    Thread searching = Thread.currentThread();
    this.end = System.nanoTime() + time.toNanos();
    this.waiting = Thread.ofVirtual().start(() -> ring(searching, time));
  }

  private void ring(Thread searching, Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException closed) {
      return;
    }
    synchronized (this) {
      hasRung = isChecking;
      if (isChecking) {
        searching.interrupt();
      }
    }
  }

  boolean isOver() {
    return System.nanoTime() - end > 0;
  }

  /** Returns whether a check holds; not if its answer comes too late. */
  boolean test(Predicate<Program> check, Program program) {
    set(true);
    try {
      return !isOver() && check.test(program) && !isOver();
    } catch (HloException stopped) {
      if (stopped.kind() != HloException.Kind.INTERRUPTED || !isOver()) {
        throw stopped;
      }
      return false;
    } finally {
      set(false);
    }
  }

  private synchronized void set(boolean checking) {
    isChecking = checking;
    if (hasRung && !checking) {
      Thread.interrupted(); // it was meant for the check
      hasRung = false;
    }
  }

  @Override
  public void close() {
    waiting.interrupt();
  }
}
