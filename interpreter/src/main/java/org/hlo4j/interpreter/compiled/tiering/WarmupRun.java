package org.hlo4j.interpreter.compiled.tiering;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.jspecify.annotations.Nullable;

/**
 * The warm-up of one generated class, until C2 has compiled it, with little work. HotSpot counts
 * calls and iterations, and both are slow before it compiles. So most calls only count ({@link
 * Tiered#writeWarmupPrologue}), and only as many do real work as C2 needs to see what is usual. A
 * vector form is compiled well once its vectors are in registers and no longer allocated as
 * objects.
 */
final class WarmupRun<T> {
  /** The state of the warm-up. */
  enum State {
    /** The warm-up has to go on. */
    WARMING_UP,
    /** The code may be used. */
    READY,
    /** C2 compiles the code well, but the first form is faster. */
    SLOWER,
    /** C2 does not compile the code well. */
    BADLY_COMPILED
  }

  /**
   * The iterations of a call that does real work. They are few: before C2 has compiled the code,
   * each operation of the Vector API is slow, and is itself compiled.
   */
  private static final int MAX_ITERATIONS = 16;

  private static final int FEW_ITERATIONS = 3;

  /**
   * The number of kinds of calls that do real work: one with all iterations, one with few, and two
   * with a few less than all.
   */
  private static final int KINDS = 4;

  /**
   * The number of rounds with a call that does real work. With more, C2 would compile the Vector
   * API first.
   */
  private static final int ROUNDS = 8;

  /**
   * After this many rounds there is another call that does real work, in case C2 relies on what it
   * has seen since.
   */
  private static final int ROUNDS_PER_CHECK = 8;

  /**
   * The number of calls of each round that only count. C1 compiles a method after 200 calls. C2
   * compiles it after 600 more calls and 15,000 iterations; the longer its queue, the more of both
   * it requires. C2 compiles the methods that have most of both first.
   */
  private static final int COUNTING_CALLS = 200;

  private static final int COUNTING_ITERATIONS = 16;

  /**
   * The steps of a long counting call. C1's code takes 10 microseconds for them. C2's code takes no
   * time, since C2 removes the counting loop.
   */
  private static final int LONG_COUNTING_ITERATIONS = 10_000;

  private static final long LONG_NANOS = 2_500;
  private static final int LONG_CALLS = 3;

  private static final int TIMED_CALLS = 16;
  private static final long TIMEOUT_NANOS = 7_000_000_000L;

  /** When C2 last finished compiling any of the classes that are warmed up. */
  private static volatile long lastCompiled = System.nanoTime();

  /**
   * The number of times in a row that the code may be found compiled and still allocating, doubled
   * with each attempt. C2 would have to recompile it of its own accord, and seldom does.
   */
  private static final int MAX_BOXING_ROUNDS = 32;

  /** Fewer bytes than any object has. */
  private static final int BYTES = 16;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final @Nullable T first;
  private final T made;
  private final WarmupInput<T> warmup;
  private final long began = System.nanoTime();
  private final int maxBoxingRounds;
  private final TimingComparison comparison =
      Machine.isVectorApiOn()
          ? new TimingComparison.OfVectors()
          : new TimingComparison.OfSplitLoops();
  private int round;
  private int boxingRounds;
  private boolean isProbeUnreliable;

  /**
   * Creates the warm-up of one class.
   *
   * @param first a form that is fast at once; null if there is none
   * @param made the form that is warmed up
   * @param warmup made-up operands, and how to run code on them
   * @param attempt the number of this attempt, counted from 1
   */
  WarmupRun(@Nullable T first, T made, WarmupInput<T> warmup, int attempt) {
    this.first = first;
    this.made = made;
    this.warmup = warmup;
    this.maxBoxingRounds = MAX_BOXING_ROUNDS << (attempt - 1);
  }

  T made() {
    return made;
  }

  /** Returns whether the code has been called often enough for C2 to compile it. */
  boolean hasReachedThreshold() {
    return round > ROUNDS;
  }

  void begin() {
    warmup.call(made, 1);
    advanceCounters();
  }

  State runRound() {
    round++;
    boolean isPeriodicCheck = round % ROUNDS_PER_CHECK == 0;
    boolean seemsCompiled = !isPeriodicCheck && Machine.isVectorApiOn() && seemsCompiledByC2();
    if (round == 1) {
      isProbeUnreliable = seemsCompiled;
    }
    boolean isCheckDue = isPeriodicCheck || seemsCompiled;
    if (!isCheckDue) {
      boxingRounds = 0;
    }
    if (!isCheckDue || !isCompiled()) {
      if (seemsCompiled && !isProbeUnreliable && ++boxingRounds == maxBoxingRounds) {
        return State.BADLY_COMPILED;
      }
      warmUp();
    } else {
      lastCompiled = System.nanoTime();
      TimingComparison.State state =
          first == null ? TimingComparison.State.WON : compareForms(first);
      if (state != TimingComparison.State.OPEN) {
        return state == TimingComparison.State.WON ? State.READY : State.SLOWER;
      }
    }
    return hasTimedOut(began, lastCompiled, System.nanoTime())
        ? State.BADLY_COMPILED
        : State.WARMING_UP;
  }

  /**
   * Returns whether C2 has had long enough. As long as it finishes other classes, it is only busy,
   * and one more class would keep it busy for longer.
   */
  static boolean hasTimedOut(long began, long lastCompiled, long now) {
    return now - began > TIMEOUT_NANOS && now - lastCompiled > TIMEOUT_NANOS;
  }

  private void warmUp() {
    if (round <= ROUNDS) {
      warmup.call(made, iterations(round, MAX_ITERATIONS));
    }
    advanceCounters();
  }

  private void advanceCounters() {
    for (int call = 0; call < COUNTING_CALLS; call++) {
      warmup.call(made, -COUNTING_ITERATIONS);
    }
  }

  /** Returns whether C2 seems to have compiled the code, without running any real work. */
  private boolean seemsCompiledByC2() {
    for (int call = 0; call < LONG_CALLS; call++) {
      long start = System.nanoTime();
      warmup.call(made, -LONG_COUNTING_ITERATIONS);
      if (System.nanoTime() - start < LONG_NANOS) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the number of iterations of a call: all, few, or a few less than all. If they were
   * always the same, C2 would compile the code for this number, and deoptimize it for any other.
   */
  private static int iterations(int call, int most) {
    int kind = call % KINDS;
    return kind == 0 ? most : kind == 1 ? Math.min(FEW_ITERATIONS, most) : Math.max(1, most - kind);
  }

  /**
   * Returns whether the vectors are in registers, so that a call allocates next to nothing. Before
   * C2 compiles the code, each vector is an object.
   */
  private boolean isCompiled() {
    for (int kind = 0; kind < KINDS; kind++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      warmup.call(made, iterations(kind, WarmupInput.ITERATIONS));
      if (THREADS.getCurrentThreadAllocatedBytes() - before >= WarmupInput.ITERATIONS * BYTES) {
        return false;
      }
    }
    return true;
  }

  private TimingComparison.State compareForms(T other) {
    long second = fastest(made);
    return comparison.addMeasurement(fastest(other), second, System.nanoTime());
  }

  private long fastest(T form) {
    long least = Long.MAX_VALUE;
    for (int call = 0; call < TIMED_CALLS; call++) {
      long start = System.nanoTime();
      warmup.call(form, WarmupInput.ITERATIONS);
      least = Math.min(least, System.nanoTime() - start);
    }
    return Math.max(1, least);
  }
}
