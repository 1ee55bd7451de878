package org.hlo4j.interpreter.kernel;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that share the chunks of a job with the one who brings it. They spin for a while after
 * each job, then sleep. Whoever brings a job works too and waits for chunks, not for threads: a
 * worker that comes late finds nothing left and delays nobody. What a chunk computes does not
 * depend on who computes it, so that results do not depend on the number of threads.
 */
public final class Workers {
  private static final int SPINS = 20_000;
  private static final int SPINS_BEFORE_YIELD = 2_000;

  /** Work in pieces, numbered from 0. */
  @FunctionalInterface
  public interface Job {
    /**
     * Does one piece.
     *
     * @param chunk its number
     */
    void run(int chunk);
  }

  /** A job under way: which chunk is next, how many are done, and what went wrong. */
  private static final class Shared {
    final Job job;
    final int chunks;
    final AtomicInteger next = new AtomicInteger();
    final AtomicInteger done = new AtomicInteger();
    final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Shared(Job job, int chunks) {
      this.job = job;
      this.chunks = chunks;
    }

    void work() {
      for (int chunk = next.getAndIncrement(); chunk < chunks; chunk = next.getAndIncrement()) {
        try {
          job.run(chunk);
        } catch (RuntimeException | Error problem) {
          failure.compareAndSet(null, problem);
        } finally {
          done.incrementAndGet();
        }
      }
    }
  }

  private static final ConcurrentMap<Integer, Workers> BY_COUNT = new ConcurrentHashMap<>();

  private final Thread[] threads;
  private final AtomicReference<@Nullable Shared> current = new AtomicReference<>();

  private Workers(int count) {
    threads = new Thread[count - 1];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = Thread.ofPlatform().daemon().name("hlo4j-worker-" + (i + 1)).start(this::serve);
    }
  }

  /**
   * {@return workers for so many threads, the caller's being one; all who ask for as many share}
   *
   * @param threads how many
   */
  public static Workers of(int threads) {
    return BY_COUNT.computeIfAbsent(threads, Workers::new);
  }

  /** {@return how many threads share the work, the caller's being one} */
  public int count() {
    return threads.length + 1;
  }

  /**
   * Does all chunks of a job, and returns when they are done. If others have a job under way, or
   * there is one chunk only, the caller does it alone.
   *
   * @param chunks how many
   * @param job what to do for each
   */
  @SuppressWarnings("ThreadPriorityCheck") // Thread.yield: more threads than processors may wait
  public void run(int chunks, Job job) {
    Shared shared = new Shared(job, chunks);
    if (chunks <= 1 || threads.length == 0 || !current.compareAndSet(null, shared)) {
      for (int chunk = 0; chunk < chunks; chunk++) {
        job.run(chunk);
      }
      return;
    }
    for (Thread thread : threads) {
      LockSupport.unpark(thread);
    }
    shared.work();
    current.set(null);
    for (int spins = 0; shared.done.get() < chunks; spins++) {
      if (spins < SPINS_BEFORE_YIELD) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
    Throwable failure = shared.failure.get();
    if (failure instanceof RuntimeException exception) {
      throw exception;
    } else if (failure instanceof Error error) {
      throw error;
    }
  }

  private void serve() {
    for (int idle = 0; ; ) {
      Shared shared = current.get();
      if (shared != null && shared.next.get() < shared.chunks) {
        shared.work();
        idle = 0;
      } else if (idle++ < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.park(this);
      }
    }
  }
}
