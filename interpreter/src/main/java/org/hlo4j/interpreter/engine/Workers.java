package org.hlo4j.interpreter.engine;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A pool of threads that share the chunks of a job with the thread that submits it. After each job
 * they spin for a while, then sleep, and end when nothing has come for long; while code is being
 * compiled that a run waits for, they yield their processors to the compiler instead. The
 * submitting thread works too, and waits for chunks rather than for threads: a worker that comes
 * late finds no chunks left and delays nobody. What a chunk computes does not depend on the thread
 * that computes it, so results do not depend on the number of threads.
 */
public final class Workers {
  private static final int SPINS = 20_000;
  private static final int SPINS_BEFORE_YIELD = 2_000;

  /** The number of yields after a few spins, while code is being compiled. */
  private static final int YIELDS = 1_000;

  private static final AtomicInteger ACTIVE_COMPILATIONS = new AtomicInteger();

  /** A job in chunks, numbered from 0. */
  @FunctionalInterface
  public interface Job {
    /**
     * Does one chunk.
     *
     * @param chunk the number of the chunk
     */
    void run(int chunk);
  }

  /**
   * A job in progress: the next chunk of each thread, the number of chunks done, and the first
   * failure. Each thread starts with a range of chunks of its own, so that its cache still has the
   * data of the last job, and then helps the others.
   */
  private static final class ActiveJob {
    /** The distance of the counters in the array, which puts each on a cache line of its own. */
    private static final int COUNTER_STRIDE = 16;

    final Job job;
    final @Nullable Limits limits;
    final int chunks;
    final int threads;
    final AtomicIntegerArray next;
    final AtomicInteger done = new AtomicInteger();
    final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    ActiveJob(Job job, @Nullable Limits limits, int chunks, int threads) {
      this.job = job;
      this.limits = limits;
      this.chunks = chunks;
      this.threads = threads;
      this.next = new AtomicIntegerArray(threads * COUNTER_STRIDE);
      for (int range = 1; range < threads; range++) {
        next.setPlain(range * COUNTER_STRIDE, end(range - 1));
      }
    }

    /** Returns the end, exclusive, of a range. */
    private int end(int range) {
      return (int) ((range + 1L) * chunks / threads);
    }

    /** Returns whether there may be chunks that nobody has begun. */
    boolean hasUnclaimedChunks() {
      for (int range = 0; range < threads; range++) {
        if (next.get(range * COUNTER_STRIDE) < end(range)) {
          return true;
        }
      }
      return false;
    }

    /** Runs chunks in a thread that did not submit the job. */
    void help(int thread) {
      if (limits == null) {
        runChunks(thread);
      } else {
        limits.share(() -> runChunks(thread));
      }
    }

    void runChunks(int thread) {
      for (int k = 0; k < threads; k++) {
        runChunks((thread + k) % threads, end((thread + k) % threads));
      }
    }

    private void runChunks(int range, int end) {
      for (int chunk = claimChunk(range, end); chunk < end; chunk = claimChunk(range, end)) {
        try {
          if (failure.getPlain() == null) {
            checked(job, limits, chunk);
          }
        } catch (RuntimeException | Error problem) {
          failure.compareAndSet(null, problem);
        } finally {
          done.incrementAndGet();
        }
      }
    }

    private int claimChunk(int range, int end) {
      return next.get(range * COUNTER_STRIDE) < end
          ? next.getAndIncrement(range * COUNTER_STRIDE)
          : end;
    }
  }

  private static final ConcurrentMap<Integer, Workers> BY_COUNT = new ConcurrentHashMap<>();

  /** How long a thread waits for work before it ends. */
  private static final Duration IDLE = Duration.ofSeconds(30);

  /** The threads that share the work, from number 1 on; null where none has begun or one ended. */
  private final AtomicReferenceArray<@Nullable Thread> threads;

  private final AtomicReference<@Nullable ActiveJob> current = new AtomicReference<>();
  private final ThreadFactory factory;
  private final long idleNanos;

  /** Creates workers whose threads come from a factory and end after a while without work. */
  Workers(int count, ThreadFactory factory, Duration idle) {
    this.threads = new AtomicReferenceArray<>(count);
    this.factory = factory;
    this.idleNanos = idle.toNanos();
  }

  /**
   * {@return a factory of daemon threads, which know nothing of the thread that happens to start
   * them: neither its thread-locals nor its class loader, which would stay as long as they do}
   *
   * @param name the name of the threads; a number follows
   */
  public static ThreadFactory threads(String name) {
    return Thread.ofPlatform()
        .daemon()
        .inheritInheritableThreadLocals(false)
        .name(name + "-", 1)
        .factory();
  }

  /**
   * {@return an executor of tasks one after the other, by such a thread, which ends when nothing
   * has come for long}
   *
   * @param name the name of the thread
   */
  public static ScheduledExecutorService background(String name) {
    return background(threads(name));
  }

  /** Returns the executor. A task waits for the next one if no thread is left to begin. */
  static ScheduledExecutorService background(ThreadFactory factory) {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(1, factory) {
          @Override
          public void execute(Runnable task) {
            try {
              super.execute(task);
            } catch (OutOfMemoryError full) {
              System.getLogger(Workers.class.getName())
                  .log(Level.DEBUG, "hlo4j: no thread for work in the background", full);
            }
          }
        };
    executor.setKeepAliveTime(IDLE.toNanos(), TimeUnit.NANOSECONDS);
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /**
   * {@return workers for a number of threads, including the caller's; all callers that ask for the
   * same number share them}
   *
   * @param threads the number of threads
   */
  public static Workers of(int threads) {
    return BY_COUNT.computeIfAbsent(
        threads, count -> new Workers(count, threads("hlo4j-worker"), IDLE));
  }

  /** {@return the number of threads that share the work, including the caller's} */
  public int count() {
    return threads.length();
  }

  /**
   * Does all chunks of a job, and returns when they are done. If another job is in progress, or
   * there is only one chunk, the caller does all chunks alone. Before each chunk, the limits of the
   * caller are checked. After a failure, the chunks that nobody has begun are left out.
   *
   * @param chunks the number of chunks
   * @param job the work for each chunk
   */
  @SuppressWarnings("ThreadPriorityCheck") // Thread.yield: more threads than processors may wait
  public void run(int chunks, Job job) {
    if (chunks <= 1 || count() == 1) {
      inOrder(chunks, job);
      return;
    }
    Limits limits = Limits.current();
    ActiveJob activeJob = new ActiveJob(job, limits, chunks, count());
    if (!current.compareAndSet(null, activeJob)) {
      inOrder(chunks, job);
      return;
    }
    try {
      wake();
      activeJob.runChunks(0);
    } finally { // also when the stack is full: nobody may begin chunks after that
      current.set(null);
    }
    for (int spins = 0; activeJob.done.get() < chunks; spins++) {
      if (spins < SPINS_BEFORE_YIELD) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
    Throwable failure = activeJob.failure.get();
    if (failure instanceof RuntimeException exception) {
      throw exception;
    } else if (failure instanceof Error error) {
      throw error;
    }
  }

  /** Wakes the threads, and starts those that are missing. */
  private void wake() {
    for (int i = 1; i < count(); i++) {
      Thread thread = threads.get(i);
      if (thread == null) {
        start(i);
      } else {
        LockSupport.unpark(thread);
      }
    }
  }

  private void start(int number) {
    Thread thread = factory.newThread(() -> serve(number));
    threads.set(number, thread);
    try {
      thread.start();
    } catch (OutOfMemoryError full) { // no thread is left: those that there are do the work
      threads.set(number, null);
    }
  }

  /** Does all chunks of a job in this thread, in order. Before each, its limits are checked. */
  static void inOrder(int chunks, Job job) {
    Limits limits = Limits.current();
    for (int chunk = 0; chunk < chunks; chunk++) {
      checked(job, limits, chunk);
    }
  }

  private static void checked(Job job, @Nullable Limits limits, int chunk) {
    if (limits != null) {
      limits.check();
    }
    job.run(chunk);
  }

  /** Announces that the virtual machine is about to compile code that a run waits for. */
  public static void compilationBegins() {
    ACTIVE_COMPILATIONS.incrementAndGet();
  }

  /** Ends what {@link #compilationBegins} announced; to be called once for each. */
  public static void compilationEnds() {
    ACTIVE_COMPILATIONS.decrementAndGet();
  }

  @SuppressWarnings("ThreadPriorityCheck") // Thread.yield: a compiler may wait for a processor
  private void serve(int number) {
    for (int idle = 0; ; ) {
      ActiveJob activeJob = current.get();
      boolean isCompiling = ACTIVE_COMPILATIONS.get() > 0;
      if (activeJob != null && activeJob.hasUnclaimedChunks()) {
        activeJob.help(number);
        idle = 0;
      } else if (idle++ < (isCompiling ? SPINS_BEFORE_YIELD : SPINS)) {
        Thread.onSpinWait();
      } else if (isCompiling && idle < SPINS_BEFORE_YIELD + YIELDS) {
        Thread.yield();
      } else {
        long asleep = System.nanoTime();
        LockSupport.parkNanos(this, idleNanos);
        var _ = Thread.interrupted(); // with which nobody could sleep any more
        if (System.nanoTime() - asleep >= idleNanos && current.get() == null) {
          threads.set(number, null);
          return;
        }
      }
    }
  }
}
