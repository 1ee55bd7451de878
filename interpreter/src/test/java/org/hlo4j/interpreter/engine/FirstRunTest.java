package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.hlo4j.interpreter.compiled.tiering.WarmupQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Warm-ups begin once the first run of a program is over, fails, or has taken half a second. */
@Isolated("other tests have first runs")
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class FirstRunTest {
  private static final long MAX_NANOS = 500_000_000;
  private static final long SHORT_NANOS = 100_000_000;

  private final CountDownLatch begun = new CountDownLatch(1);

  private void startWarmup() {
    var _ =
        WarmupQueue.start(
            null,
            () -> {
              begun.countDown();
              return "vectors";
            },
            () -> (form, iterations) -> {},
            () -> 1);
  }

  /** Returns whether the warm-up begins within some time. */
  private boolean begins(long nanos) {
    try {
      return begun.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void noWarmupBeginsDuringAFirstRun() {
    long start = System.nanoTime();
    boolean isEarly =
        new FirstRun()
            .run(() -> {
              startWarmup();
              return begins(SHORT_NANOS) && System.nanoTime() - start < MAX_NANOS;
            });
    assertThat(isEarly).isFalse();
    assertThat(begins(Long.MAX_VALUE)).isTrue();
  }

  @Test
  void aLongFirstRunIsNotWaitedFor() {
    startWarmupIn(new FirstRun());
  }

  @Test
  void laterRunsAreNotWaitedFor() {
    FirstRun run = new FirstRun();
    assertThat(run.<String>run(() -> "first")).isEqualTo("first");
    startWarmupIn(run);
  }

  private void startWarmupIn(FirstRun run) {
    startWarmup();
    assertThat(run.<Boolean>run(() -> begins(Long.MAX_VALUE))).isTrue();
  }

  @Test
  void aFailureEndsAFirstRun() {
    assertThrows(
        IllegalStateException.class,
        () ->
            new FirstRun()
                .run(() -> {
                  throw new IllegalStateException();
                }));
    long start = System.nanoTime();
    FirstRun.await();
    assertThat(System.nanoTime() - start).isLessThan(MAX_NANOS);
  }
}
