package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import com.sun.management.ThreadMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.Executable;
import org.jspecify.annotations.Nullable;

/**
 * The warm-up of a program, by runs of it. It is over when, for a while, no run has met code that
 * has a faster form to come, the JIT compiler has been idle, and runs have allocated little: before
 * C2 compiles vector code, each vector is an object. The times of runs do not count, so that load
 * on the machine only delays the end.
 */
public final class Warmup {
  /**
   * How long runs have to be as those of a warm program are. A method that is called some ten times
   * by a run is compiled by C2 only after hundreds of runs.
   */
  private static final long QUIET_NANOS = 1_000_000_000;

  private static final int MIN_QUIET_RUNS = 3;

  /** The greatest share of a quiet period that the compiler may take; it never is quite idle. */
  private static final int COMPILER_SHARE = 20;

  /** The bytes that a warm run may allocate beside its result: objects, but no vectors. */
  private static final long MAX_OBJECTS = 1 << 18;

  /** What it may allocate in addition for each instruction of the module. */
  private static final long MAX_OBJECTS_PER_INSTRUCTION = 1 << 10;

  /** The time after which runs that allocate more are taken for runs that do so for ever. */
  private static final long MAX_ALLOCATING_NANOS = 10_000_000_000L;

  /** A pause while code is compiled, which leaves the processor to the compiler. */
  private static final long PAUSE_NANOS = 2_000_000;

  private static final AtomicLong MISSES = new AtomicLong();
  private static final AtomicInteger UNDER_WAY = new AtomicInteger();

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final @Nullable CompilationMXBean COMPILER =
      ManagementFactory.getCompilationMXBean();

  private final Executable executable;
  private final Literal[] arguments;
  private final long began = System.nanoTime();
  private final long allowed;
  private long quietSince;
  private long quietRuns;
  private long compiledBefore;

  private Warmup(Executable executable, Literal[] arguments) {
    this.executable = executable;
    this.arguments = arguments;
    this.allowed =
        MAX_OBJECTS
            + executable.module().instructions().count() * MAX_OBJECTS_PER_INSTRUCTION
            + 2 * Explanation.bytes(executable.signature().result());
    restart();
  }

  /** Notes that a run met code that may have a faster form to come. */
  public static void missed() {
    MISSES.incrementAndGet();
  }

  /** Returns whether faster forms are wanted at once, however little work there is for them. */
  public static boolean isUnderWay() {
    return UNDER_WAY.get() > 0;
  }

  /**
   * Runs a program until it is warm.
   *
   * @param arguments the arguments; none for zeros, if the sizes of all parameters are known
   * @return whether it is warm; false if the time is over
   */
  public static boolean run(Executable executable, Duration atMost, Literal... arguments) {
    require(
        !atMost.isNegative(),
        Kind.ARGUMENT,
        "warmUp: got %s, want a time that is not negative",
        atMost);
    Literal[] all = arguments.length == 0 ? zeros(executable) : arguments;
    UNDER_WAY.incrementAndGet();
    try {
      return new Warmup(executable, all).isWarmAfter(atMost.toNanos());
    } finally {
      UNDER_WAY.decrementAndGet();
    }
  }

  private static Literal[] zeros(Executable executable) {
    return executable.signature().parameters().stream()
        .map(shape -> {
          boolean isPlain = shape instanceof Shape.Array array && !array.isDynamic();
          require(isPlain, Kind.ARGUMENT, "warmUp: got no arguments, want them for %s", shape);
          return Literal.zeros((Shape.Array) shape);
        })
        .toArray(Literal[]::new);
  }

  private boolean isWarmAfter(long nanos) {
    while (!isQuiet()) {
      if (System.nanoTime() - began >= nanos) {
        return false;
      }
      run();
    }
    return true;
  }

  private void run() {
    long misses = MISSES.get();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    var _ = executable.run(arguments);
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    quietRuns++;
    if (MISSES.get() > misses) {
      LockSupport.parkNanos(PAUSE_NANOS);
      restart();
    } else if (allocated > allowed && System.nanoTime() - began < MAX_ALLOCATING_NANOS) {
      restart();
    }
  }

  private void restart() {
    quietSince = System.nanoTime();
    quietRuns = 0;
    compiledBefore = compiled();
  }

  /** Returns whether the last runs were those of a warm program, for long enough. */
  private boolean isQuiet() {
    long nanos = System.nanoTime() - quietSince;
    if (nanos < QUIET_NANOS || quietRuns < MIN_QUIET_RUNS) {
      return false;
    }
    boolean isIdle = (compiled() - compiledBefore) * 1_000_000 <= nanos / COMPILER_SHARE;
    if (!isIdle) {
      restart();
    }
    return isIdle;
  }

  /** Returns the milliseconds that the compiler has taken. */
  private static long compiled() {
    return COMPILER == null ? 0 : COMPILER.getTotalCompilationTime();
  }
}
