package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that belong to nobody: they know nothing of who starts them, and end. */
@Timeout(60)
final class WorkersTest {
  private static final InheritableThreadLocal<String> REQUEST = new InheritableThreadLocal<>();

  private final List<Thread> begun = new CopyOnWriteArrayList<>();

  private Workers workers(Duration idle) {
    ThreadFactory factory = Workers.threads("test");
    return new Workers(
        3,
        task -> {
          Thread thread = factory.newThread(task);
          begun.add(thread);
          return thread;
        },
        idle);
  }

  /** Runs jobs until another thread than this has taken part. */
  private static Set<Thread> helpers(Workers workers) {
    Set<Thread> seen = ConcurrentHashMap.newKeySet();
    while (seen.size() < 2) {
      AtomicInteger sum = new AtomicInteger();
      workers.run(
          100,
          chunk -> {
            seen.add(Thread.currentThread());
            sum.addAndGet(chunk);
            Thread.onSpinWait();
          });
      assertThat(sum.get()).isEqualTo(4950);
    }
    seen.remove(Thread.currentThread());
    return seen;
  }

  @Test
  void threadsBeginWithTheFirstJobAndEndWhenTheyAreIdle() throws InterruptedException {
    Workers workers = workers(Duration.ofMillis(20));
    assertThat(begun).isEmpty();
    helpers(workers);
    for (Thread thread : begun) {
      thread.join();
    }
    int before = begun.size();
    helpers(workers);
    assertThat(begun.size()).isGreaterThan(before);
  }

  @Test
  void aThreadThatIsInterruptedSleepsAndEndsAsOthersDo() throws InterruptedException {
    helpers(workers(Duration.ofMillis(20)));
    begun.forEach(Thread::interrupt);
    for (Thread thread : begun) {
      thread.join();
    }
  }

  @Test
  void threadsStayWhileThereIsWork() {
    Workers workers = workers(Duration.ofMinutes(1));
    helpers(workers);
    helpers(workers);
    assertThat(begun).hasSize(2);
  }

  @Test
  void aJobThatCannotBeginIsNotLeftToOthers() {
    boolean[] isBroken = {true};
    Workers workers =
        new Workers(
            2,
            task -> {
              if (isBroken[0]) {
                throw new StackOverflowError();
              }
              return new Thread(task);
            },
            Duration.ofMillis(20));
    assertThrows(StackOverflowError.class, () -> workers.run(10, chunk -> {}));
    isBroken[0] = false;
    assertThat(helpers(workers)).hasSize(1);
  }

  @Test
  void aTaskInTheBackgroundWaitsUntilThereIsAThread() throws InterruptedException {
    AtomicInteger asked = new AtomicInteger();
    ScheduledExecutorService background =
        Workers.background(task -> {
          if (asked.getAndIncrement() == 0) {
            throw new OutOfMemoryError("unable to create native thread");
          }
          return new Thread(task);
        });
    CountDownLatch done = new CountDownLatch(2);
    background.execute(done::countDown);
    assertThat(done.getCount()).isEqualTo(2);
    background.execute(done::countDown);
    done.await();
    background.shutdown();
  }

  @Test
  void withoutThreadsTheCallerDoesAll() {
    Workers alone =
        new Workers(
            3,
            task ->
                new Thread(task) {
                  @Override
                  public void start() {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                },
            Duration.ofMillis(20));
    AtomicInteger sum = new AtomicInteger();
    alone.run(100, sum::addAndGet);
    alone.run(100, sum::addAndGet);
    assertThat(sum.get()).isEqualTo(9900);
  }

  @Test
  void threadsKnowNothingOfTheFirstCaller() throws Exception {
    Thread caller = Thread.currentThread();
    ClassLoader usual = caller.getContextClassLoader();
    ScheduledExecutorService background = Workers.background("test");
    try (URLClassLoader own = new URLClassLoader(new URL[0])) {
      caller.setContextClassLoader(own);
      REQUEST.set("request");
      for (Thread helper : helpers(workers(Duration.ofMinutes(1)))) {
        assertThat(helper.getContextClassLoader()).isSameInstanceAs(system());
      }
      assertThat(background.submit(REQUEST::get).get()).isNull();
      assertThat(background.submit(() -> Thread.currentThread().getContextClassLoader()).get())
          .isSameInstanceAs(system());
    } finally {
      caller.setContextClassLoader(usual);
      REQUEST.remove();
      background.shutdown();
    }
  }

  private static ClassLoader system() {
    return ClassLoader.getSystemClassLoader();
  }

  @Test
  void aBackgroundThreadIsADaemonOfItsName() throws ExecutionException, InterruptedException {
    ScheduledExecutorService background = Workers.background("test");
    Thread thread = background.submit(Thread::currentThread).get();
    assertThat(thread.isDaemon()).isTrue();
    assertThat(thread.getName()).isEqualTo("test-1");
    background.shutdown();
  }
}
