package org.hlo4j.interpreter.engine;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that share the chunks of a job with the one who brings it. They spin for a while after
 * each job, then sleep; while code is compiled that they wait for, they leave the compiler their
 * processors instead. Whoever brings a job works too and waits for chunks, not for threads: a
 * worker that comes late finds nothing left and delays nobody. What a chunk computes does not
 * depend on who computes it, so that results do not depend on the number of threads.
 */
public final class Workers {
  private static final int SPINS = 20_000;
  private static final int SPINS_BEFORE_YIELD = 2_000;

  /** After a few spins so many yields, while code is compiled. */
  private static final int YIELDS = 1_000;

  private static final AtomicInteger COMPILED = new AtomicInteger();

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

  /**
   * A job under way: which chunks are next, how many are done, and what went wrong. Each thread has
   * a range of chunks that it begins with, so that it finds in its cache what it left there in the
   * last job, and then helps the others.
   */
  private static final class Shared {
    /** Counters lie so far apart that threads do not take each other's cache lines. */
    private static final int APART = 16;

    final Job job;
    final int chunks;
    final int threads;
    final AtomicIntegerArray next;
    final AtomicInteger done = new AtomicInteger();
    final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Shared(Job job, int chunks, int threads) {
      this.job = job;
      this.chunks = chunks;
      this.threads = threads;
      this.next = new AtomicIntegerArray(threads * APART);
      for (int range = 1; range < threads; range++) {
        next.setPlain(range * APART, end(range - 1));
      }
    }

    /** The chunk before which a range ends. */
    private int end(int range) {
      return (int) ((range + 1L) * chunks / threads);
    }

    /** Whether there may be chunks that nobody has begun. */
    boolean isOpen() {
      for (int range = 0; range < threads; range++) {
        if (next.get(range * APART) < end(range)) {
          return true;
        }
      }
      return false;
    }

    void work(int thread) {
      for (int k = 0; k < threads; k++) {
        work((thread + k) % threads, end((thread + k) % threads));
      }
    }

    private void work(int range, int end) {
      for (int chunk = take(range, end); chunk < end; chunk = take(range, end)) {
        try {
          job.run(chunk);
        } catch (RuntimeException | Error problem) {
          failure.compareAndSet(null, problem);
        } finally {
          done.incrementAndGet();
        }
      }
    }

    private int take(int range, int end) {
      return next.get(range * APART) < end ? next.getAndIncrement(range * APART) : end;
    }
  }

  private static final ConcurrentMap<Integer, Workers> BY_COUNT = new ConcurrentHashMap<>();

  private final Thread[] threads;
  private final AtomicReference<@Nullable Shared> current = new AtomicReference<>();

  private Workers(int count) {
    threads = new Thread[count - 1];
    for (int i = 0; i < threads.length; i++) {
      int number = i + 1;
      threads[i] =
          Thread.ofPlatform().daemon().name("hlo4j-worker-" + number).start(() -> serve(number));
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
    if (chunks <= 1 || threads.length == 0) {
      alone(chunks, job);
      return;
    }
    Shared shared = new Shared(job, chunks, count());
    if (!current.compareAndSet(null, shared)) {
      alone(chunks, job);
      return;
    }
    for (Thread thread : threads) {
      LockSupport.unpark(thread);
    }
    shared.work(0);
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

  private static void alone(int chunks, Job job) {
    for (int chunk = 0; chunk < chunks; chunk++) {
      job.run(chunk);
    }
  }

  /** To be called when the virtual machine is to compile something that work waits for. */
  public static void compilationBegins() {
    COMPILED.incrementAndGet();
  }

  /** To be called once for each that began, when it is over. */
  public static void compilationEnds() {
    COMPILED.decrementAndGet();
  }

  @SuppressWarnings("ThreadPriorityCheck") // Thread.yield: a compiler may wait for a processor
  private void serve(int number) {
    for (int idle = 0; ; ) {
      Shared shared = current.get();
      boolean isCompiling = COMPILED.get() > 0;
      if (shared != null && shared.isOpen()) {
        shared.work(number);
        idle = 0;
      } else if (idle++ < (isCompiling ? SPINS_BEFORE_YIELD : SPINS)) {
        Thread.onSpinWait();
      } else if (isCompiling && idle < SPINS_BEFORE_YIELD + YIELDS) {
        Thread.yield();
      } else {
        LockSupport.park(this);
      }
    }
  }
}
