package org.hlo4j.interpreter.compiled.tiering;

import static com.google.common.truth.Truth.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A form is warmed up until it no longer allocates; forms that cannot be generated are given up.
 */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class WarmupQueueTest {
  private static final int CALLS = 1_200;

  /** Allocated by warm-up inputs, as only code that is not compiled yet allocates. */
  private static byte[] object = {};

  @Test
  void singleFormIsReadyOnceItNoLongerAllocates() {
    AtomicInteger warmups = new AtomicInteger();
    String ready =
        WarmupQueue.<String>start(
                null,
                () -> "vectors",
                () ->
                    (form, iterations) -> {
                      if (warmups.incrementAndGet() < CALLS) {
                        object = new byte[10_000];
                      }
                    },
                () -> 1)
            .join();
    assertThat(ready).isEqualTo("vectors");
    assertThat(warmups.get()).isAtLeast(CALLS);
    assertThat(object).hasLength(10_000);
  }

  @Test
  void warmupVariesTheIterations() {
    List<Integer> kinds = Collections.synchronizedList(new ArrayList<>());
    WarmupQueue.start(
            null, () -> "vectors", () -> (form, iterations) -> kinds.add(iterations), () -> 1)
        .join();
    assertThat(kinds)
        .containsAtLeast(1, -16, WarmupInput.ITERATIONS, 3, WarmupInput.ITERATIONS - 2);
  }

  @Test
  void formsWithMostWaitingWorkAreMadeFirst() {
    List<Long> made = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch allAsked = new CountDownLatch(1);
    List<CompletableFuture<Long>> all = new ArrayList<>();
    all.add(
        WarmupQueue.start(
            null, () -> awaited(allAsked, 0), () -> (form, iterations) -> {}, () -> 0));
    for (long work : new long[] {30, 50, 10, 40, 20}) {
      all.add(
          WarmupQueue.start(
              null,
              () -> {
                made.add(work);
                return work;
              },
              () -> (form, iterations) -> {},
              () -> work));
    }
    allAsked.countDown();
    all.forEach(CompletableFuture::join);
    assertThat(made).containsExactly(50L, 40L, 30L, 20L, 10L).inOrder();
  }

  private static long awaited(CountDownLatch latch, long value) {
    try {
      latch.await();
      return value;
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void formsThatCannotBeMadeAreGivenUp() {
    WarmupInput<String> idle = (form, iterations) -> {};
    assertThat(WarmupQueue.start("scalars", () -> null, () -> idle, () -> 1).join()).isNull();
    assertThat(WarmupQueue.<String>start(null, WarmupQueueTest::fail, () -> idle, () -> 1).join())
        .isNull();
  }

  private static String fail() {
    throw new VerifyError("made for this test");
  }

  /**
   * More of each kind than are warmed up at once, so that one that is lost would block the rest.
   */
  @Test
  void whateverIsThrownDoesNotStopTheQueue() {
    List<Throwable> thrown =
        List.of(
            new AssertionError(),
            new StackOverflowError(),
            new OutOfMemoryError(),
            new VerifyError(),
            new IllegalStateException(),
            new Exception("checked"));
    List<CompletableFuture<String>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      for (Throwable problem : thrown) {
        all.add(WarmupQueue.start(null, () -> failWith(problem), () -> null, () -> 1));
        all.add(
            WarmupQueue.start(
                null,
                () -> "form",
                () ->
                    (form, iterations) -> {
                      failWith(problem);
                    },
                () -> 1));
      }
    }
    all.forEach(entry -> assertThat(entry.join()).isNull());
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> String failWith(Throwable problem) throws E {
    throw (E) problem;
  }

  @Test
  void theEntryWithLeastWorkIsCancelledOnceTheQueueIsFull() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch allAsked = new CountDownLatch(1);
    WarmupInput<Long> idle = (form, iterations) -> {};
    CompletableFuture<Long> blocking =
        WarmupQueue.start(
            null,
            () -> {
              begun.countDown();
              return awaited(allAsked, 0);
            },
            () -> idle,
            () -> Long.MAX_VALUE);
    begun.await();
    List<CompletableFuture<Long>> all = new ArrayList<>();
    for (long i = 0; i <= WarmupQueue.MAX_WAITING; i++) {
      long work = i;
      all.add(WarmupQueue.start(null, () -> null, () -> idle, () -> work));
    }
    assertThat(all.getFirst().isCancelled()).isTrue();
    assertThat(WarmupQueue.getIfReady(all.getFirst())).isNull();
    allAsked.countDown();
    assertThat(all.getLast().join()).isNull();
    assertThat(blocking.join()).isEqualTo(0);
  }
}
