package org.hlo4j.interpreter.compiled.tiering;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.jspecify.annotations.Nullable;

/**
 * Brings a form of vectors to where C2 compiles it, with little work. The virtual machine counts
 * calls and iterations, and as long as it does both are slow; so most calls only count ({@link
 * Tiered#writeCounting}), and as few do something as C2 needs to see what is usual. It is ready
 * when its vectors are no objects any more.
 */
final class WarmupRun<T> {
  /** How it stands. */
  enum State {
    /** It has to go on. */
    WARMING_UP,
    /** It may be used. */
    READY,
    /** C2 compiles it well, but what there is already is faster. */
    SLOWER,
    /** C2 does not compile it well. */
    SPOILT
  }

  /** Of calls that do something, as few as do: each op of the library is slow, and is compiled. */
  private static final int MAX_ITERATIONS = 16;

  private static final int FEW_ITERATIONS = 3;

  /** Of calls that do something: with all iterations, few, and two with some fewer. */
  private static final int KINDS = 4;

  /** Rounds with a call that does something: more would have C2 compile the library first. */
  private static final int ROUNDS = 8;

  /** After so many rounds one more, in case C2 goes by what it has seen since. */
  private static final int ROUNDS_BETWEEN = 8;

  /**
   * Calls that only count, each round. C1 compiles what was called 200 times; C2 what was called
   * 600 times after that and made 15,000 iterations, or more of both, the more wait for it. It
   * serves those first that have more of both.
   */
  private static final int IDLE_CALLS = 200;

  private static final int IDLE_ITERATIONS = 16;

  /** To count so far takes C1's code 10 microseconds, and C2's no time: it leaves it out. */
  private static final int LONG_IDLE_ITERATIONS = 10_000;

  private static final long LONG_NANOS = 2_500;
  private static final int LONG_CALLS = 3;

  private static final int TIMED_CALLS = 16;
  private static final long PATIENCE_NANOS = 7_000_000_000L;

  /** When C2 was last through with one. */
  private static volatile long lastCompiled = System.nanoTime();

  /**
   * How often in a row it may be compiled and still make objects, each attempt twice as often: C2
   * would have to find out on its own, and seldom does.
   */
  private static final int MAX_WASTED = 32;

  /** Less than any object. */
  private static final int BYTES = 16;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final @Nullable T first;
  private final T made;
  private final WarmupInput<T> warmup;
  private final long began = System.nanoTime();
  private final int mostWasted;
  private final TimingComparison race =
      VectorSupport.isOn() ? new TimingComparison.OfVectors() : new TimingComparison.OfCutLoops();
  private int round;
  private int wasted;
  private boolean costsNothingAnyway;

  /**
   * A trial.
   *
   * @param first a form that is fast at once, if there is one
   * @param made the form of vectors
   * @param warmup what it does meanwhile
   * @param attempt how many have been made, with this one
   */
  WarmupRun(@Nullable T first, T made, WarmupInput<T> warmup, int attempt) {
    this.first = first;
    this.made = made;
    this.warmup = warmup;
    this.mostWasted = MAX_WASTED << (attempt - 1);
  }

  T made() {
    return made;
  }

  /** Whether it has been called as often as C2 wants before it compiles. */
  boolean isCounted() {
    return round > ROUNDS;
  }

  void begin() {
    warmup.call(made, 1);
    count();
  }

  State goOn() {
    round++;
    boolean isIteration = round % ROUNDS_BETWEEN == 0;
    boolean costsNothing = !isIteration && VectorSupport.isOn() && countsAtNoCost();
    if (round == 1) {
      costsNothingAnyway = costsNothing;
    }
    boolean isLooking = isIteration || costsNothing;
    if (!isLooking) {
      wasted = 0;
    }
    if (!isLooking || !isCompiled()) {
      if (costsNothing && !costsNothingAnyway && ++wasted == mostWasted) {
        return State.SPOILT;
      }
      warmUp();
    } else {
      lastCompiled = System.nanoTime();
      TimingComparison.State state = first == null ? TimingComparison.State.WON : look(first);
      if (state != TimingComparison.State.OPEN) {
        return state == TimingComparison.State.WON ? State.READY : State.SLOWER;
      }
    }
    return isLate(began, lastCompiled, System.nanoTime()) ? State.SPOILT : State.WARMING_UP;
  }

  /**
   * Whether C2 has had long enough. While it gets through with others it is only busy, and one more
   * class would keep it so for longer.
   */
  static boolean isLate(long began, long lastCompiled, long now) {
    return now - began > PATIENCE_NANOS && now - lastCompiled > PATIENCE_NANOS;
  }

  private void warmUp() {
    if (round <= ROUNDS) {
      warmup.call(made, iterations(round, MAX_ITERATIONS));
    }
    count();
  }

  private void count() {
    for (int call = 0; call < IDLE_CALLS; call++) {
      warmup.call(made, -IDLE_ITERATIONS);
    }
  }

  /** Whether C2 has compiled it, as far as can be told without doing anything. */
  private boolean countsAtNoCost() {
    for (int call = 0; call < LONG_CALLS; call++) {
      long start = System.nanoTime();
      warmup.call(made, -LONG_IDLE_ITERATIONS);
      if (System.nanoTime() - start < LONG_NANOS) {
        return true;
      }
    }
    return false;
  }

  /**
   * All iterations, some fewer, or few: what always does the same in the warm-up is compiled for
   * that, and undone when it does otherwise.
   */
  private static int iterations(int call, int most) {
    int kind = call % KINDS;
    return kind == 0 ? most : kind == 1 ? Math.min(FEW_ITERATIONS, most) : Math.max(1, most - kind);
  }

  /** Whether its vectors are in registers; before that, each is an object. */
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

  private TimingComparison.State look(T other) {
    long second = fastest(made);
    return race.look(fastest(other), second, System.nanoTime());
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
