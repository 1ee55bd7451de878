package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.hlo4j.hlo.HloException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits where several threads take part in the work, or wait for each other. */
@Timeout(60)
class LimitsOfThreadsTest {
  private static Limits limits(Duration deadline) {
    return new Limits(Optional.of(deadline), Long.MAX_VALUE);
  }

  private static String refusal(Runnable work) {
    return assertThrows(HloException.class, work::run).summary();
  }

  /** Returns the refusal of a thread that waits for another one, which does not end. */
  private static String waiting(Duration deadline, boolean isInterrupted)
      throws InterruptedException {
    ReentrantLock lock = new ReentrantLock();
    lock.lock();
    String[] refusal = new String[1];
    Thread waiting =
        Thread.ofPlatform()
            .start(() ->
                refusal[0] =
                    refusal(() ->
                        limits(deadline).within(() -> Limits.exclusively(lock, () -> "done"))));
    if (isInterrupted) {
      waiting.interrupt();
    }
    waiting.join();
    return refusal[0];
  }

  @Test
  void whoWaitsForAnotherSeesTheDeadlineAndAnInterrupt() throws InterruptedException {
    assertThat(waiting(Duration.ofMillis(20), false))
        .isEqualTo("run: got beyond the deadline of 20 ms");
    assertThat(waiting(Duration.ofHours(1), true)).isEqualTo("run: interrupted");
  }

  @Test
  void theNextThreadDoesTheWorkAfterAFailure() {
    ReentrantLock lock = new ReentrantLock();
    assertThat(
            refusal(() ->
                Limits.exclusively(
                    lock,
                    () -> {
                      throw new HloException("", "no");
                    })))
        .isEqualTo("no");
    assertThat(Limits.exclusively(lock, () -> lock.getHoldCount())).isEqualTo(1);
    assertThat(lock.isLocked()).isFalse();
  }

  /** No chunk is begun once the limits are exceeded, by whatever thread. */
  @Test
  void chunksThatNobodyHasBegunAreLeftOut() {
    for (int threads : new int[] {1, 4}) {
      AtomicInteger begun = new AtomicInteger();
      assertThat(
              refusal(() ->
                  limits(Duration.ZERO)
                      .within(() -> {
                        Workers.of(threads).run(1000, chunk -> begun.incrementAndGet());
                        return "done";
                      })))
          .isEqualTo("run: got beyond the deadline of 0 ms");
      assertThat(begun.get()).isEqualTo(0);
    }
  }

  /** Workers see the interruption of the thread that submitted the job, not their own. */
  @Test
  void workersSeeTheInterruptOfTheCaller() {
    Thread caller = Thread.currentThread();
    Limits limits = new Limits(Optional.empty(), Long.MAX_VALUE);
    String[] refusals = new String[1];
    Thread worker =
        new Thread(() -> limits.share(() -> refusals[0] = refusal(Limits::checkCurrent)));
    caller.interrupt();
    worker.start();
    while (worker.isAlive()) {
      Thread.onSpinWait();
    }
    assertThat(Thread.interrupted()).isTrue();
    assertThat(refusals[0]).isEqualTo("run: interrupted");
  }

  @Test
  void fullStacksAndHeapsAreRefusals() {
    assertThat(refusal(() -> Program.refusingErrors(() -> deep(0)))).startsWith("run: the stack");
    HloException full =
        assertThrows(
            HloException.class,
            () ->
                Program.refusingErrors(() -> {
                  throw new OutOfMemoryError("on purpose");
                }));
    assertThat(full.summary()).isEqualTo("run: the heap is full, want a larger -Xmx");
    assertThat(full.kind()).isEqualTo(HloException.Kind.LIMIT);
  }

  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static int deep(int depth) {
    return deep(depth + 1) + 1;
  }
}
