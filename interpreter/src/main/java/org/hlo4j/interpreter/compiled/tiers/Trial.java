package org.hlo4j.interpreter.compiled.tiers;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * Brings a form of vectors to where C2 compiles it, with little work. The virtual machine counts
 * calls and turns, and as long as it does both are slow; so most calls only count ({@link
 * Tiered#writeCounting}), and as few do something as C2 needs to see what is usual. It is ready
 * when its vectors are no objects any more.
 */
final class Trial<T> {
  /** How it stands. */
  enum State {
    /** It has to go on. */
    PRACTISING,
    /** It may be used. */
    READY,
    /** C2 compiles it well, but what there is already is faster. */
    SLOWER,
    /** C2 does not compile it well. */
    SPOILT
  }

  /** Fewer than any loop makes at once. */
  private static final int FEW_TURNS = 3;

  /** Of calls that do something: with all turns, few, and two with some fewer. */
  private static final int KINDS = 4;

  /** Calls that only count, for each that does something. */
  private static final int IDLE_CALLS = 30;

  /** C1 compiles what was called 200 times, C2 what was called 600 to 5,000 times after that. */
  private static final int CALLS = 36;

  /** With 15,000 turns, 600 calls are enough; 40,000 would have C2 compile the counting. */
  private static final int IDLE_TURNS = 16;

  private static final int ROUNDS_WITH_IDLE_TURNS = 2;

  /** After so many rounds C2 has seen enough, but has others to serve first. */
  private static final int ROUNDS = 8;

  private static final int TIMED_CALLS = 16;
  private static final long PRACTICE_NANOS = 4_000_000;
  private static final long PATIENCE_NANOS = 7_000_000_000L;

  /** Timing is not exact: a little slower counts as fast. */
  private static final double AS_FAST = 1.1;

  /** How often it may be compiled and still be slower than the first form. */
  private static final int MOST_LOST = 20;

  /** Less than any object. */
  private static final int BYTES = 16;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final @Nullable T first;
  private final T made;
  private final Practice<T> practice;
  private final long deadline = System.nanoTime() + PATIENCE_NANOS;
  private int round;
  private int lost;
  private int called;

  Trial(@Nullable T first, T made, Practice<T> practice) {
    this.first = first;
    this.made = made;
    this.practice = practice;
  }

  T made() {
    return made;
  }

  void begin() {
    practise(1);
  }

  State goOn() {
    round++;
    if (!isCompiled()) {
      practise(Practice.TURNS);
    } else if (isFast()) {
      return State.READY;
    } else if (++lost == MOST_LOST) {
      return State.SLOWER;
    }
    return System.nanoTime() > deadline ? State.SPOILT : State.PRACTISING;
  }

  private void practise(int turns) {
    long end = System.nanoTime() + PRACTICE_NANOS;
    int counted = round > ROUNDS_WITH_IDLE_TURNS ? 0 : -IDLE_TURNS;
    for (int call = 0; call < CALLS && System.nanoTime() < end; call++) {
      for (int idle = 0; idle < IDLE_CALLS; idle++) {
        practice.call(made, counted);
      }
      if (round <= ROUNDS) {
        practice.call(made, turns(called++, turns));
      }
    }
  }

  /**
   * All turns, some fewer, or few: what always does the same in practice is compiled for that, and
   * undone when it does otherwise.
   */
  private static int turns(int call, int most) {
    int kind = call % KINDS;
    return kind == 0 ? most : kind == 1 ? Math.min(FEW_TURNS, most) : Math.max(1, most - kind);
  }

  /** Whether its vectors are in registers; before that, each is an object. */
  private boolean isCompiled() {
    for (int kind = 0; kind < KINDS; kind++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      practice.call(made, turns(kind, Practice.TURNS));
      if (THREADS.getCurrentThreadAllocatedBytes() - before >= Practice.TURNS * BYTES) {
        return false;
      }
    }
    return true;
  }

  private boolean isFast() {
    return first == null || fastest(made) <= AS_FAST * fastest(first);
  }

  private long fastest(T form) {
    long least = Long.MAX_VALUE;
    for (int call = 0; call < TIMED_CALLS; call++) {
      long start = System.nanoTime();
      practice.call(form, Practice.TURNS);
      least = Math.min(least, System.nanoTime() - start);
    }
    return Math.max(1, least);
  }
}
