package org.hlo4j.interpreter.compiled.whileloop;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.Workers;
import org.jspecify.annotations.Nullable;

/**
 * The warm-up of a loop that calls vector code, in the background. It runs the loop on the operands
 * of an earlier run until it is faster than the existing form of the loop: first the vector code
 * has to warm up, then C2 has to compile the loop.
 */
final class BackgroundWarmup {
  private static final long MAX_COMPILATION_NANOS = 10_000_000_000L;

  /**
   * The time, from when the vector code is ready, after which a loop that is not faster is given
   * up.
   */
  private static final long MAX_COMPARISON_NANOS = 6_000_000_000L;

  private static final long MIN_REST_NANOS = 1_000_000;
  private static final int RESTS_FOR_A_RUN = 3;

  /** The minimum time of a measurement. Shorter runs are repeated, and the fastest one counts. */
  private static final long SHORT_NANOS = 5_000_000;

  /** The time after which a run is stopped. */
  private static final Optional<Duration> LONG = Optional.of(Duration.ofSeconds(1));

  /**
   * The number of successive runs in which the loop has to be faster, by the factor {@link
   * #MAX_TIME_RATIO}, since timing is not exact.
   */
  private static final int WINS = 3;

  private static final double MAX_TIME_RATIO = 0.9;

  private static final Executor BACKGROUND = Workers.background("hlo4j-warmup");

  private static final AtomicInteger UNDER_WAY = new AtomicInteger();

  private final Kernel first;
  private final LoopIterationKernel candidate;
  private final Literal[] operands;

  private BackgroundWarmup(Kernel first, LoopIterationKernel candidate, Literal operand) {
    this.first = first;
    this.candidate = candidate;
    this.operands = new Literal[] {operand};
  }

  /**
   * Returns whether no warm-up is under way. Others would wait for it and hold copies of their
   * operands meanwhile.
   */
  static boolean isFree() {
    return UNDER_WAY.get() == 0;
  }

  /**
   * Starts a warm-up.
   *
   * @param first the existing form of the loop
   * @param candidateFactory creates the other form, or returns null if there is none
   * @param operand the initial state of the loop
   * @return the other form, once it is faster; null, once it is given up
   */
  static CompletableFuture<@Nullable LoopIterationKernel> start(
      Kernel first, Supplier<@Nullable LoopIterationKernel> candidateFactory, Literal operand) {
    UNDER_WAY.incrementAndGet();
    return CompletableFuture.supplyAsync(() -> warm(first, candidateFactory, operand), BACKGROUND);
  }

  private static @Nullable LoopIterationKernel warm(
      Kernel first, Supplier<@Nullable LoopIterationKernel> candidateFactory, Literal operand) {
    try {
      LoopIterationKernel candidate = candidateFactory.get();
      return candidate != null && new BackgroundWarmup(first, candidate, operand).isBetter()
          ? candidate
          : null;
    } catch (Exception | Error problem) {
      System.getLogger(BackgroundWarmup.class.getName())
          .log(Level.DEBUG, "hlo4j: a loop with calls does not work", problem);
      return null;
    } finally {
      UNDER_WAY.decrementAndGet();
    }
  }

  private boolean isBetter() {
    return isCompiled() && isFaster();
  }

  private boolean isCompiled() {
    long deadline = System.nanoTime() + MAX_COMPILATION_NANOS;
    while (!candidate.isReady() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(MIN_REST_NANOS);
    }
    return candidate.isReady();
  }

  private boolean isFaster() {
    long deadline = System.nanoTime() + MAX_COMPARISON_NANOS;
    int wins = 0;
    while (wins < WINS && System.nanoTime() < deadline) {
      long start = System.nanoTime();
      wins = nanos(candidate) < MAX_TIME_RATIO * nanos(first) ? wins + 1 : 0;
      long rest = RESTS_FOR_A_RUN * (System.nanoTime() - start);
      LockSupport.parkNanos(Math.max(MIN_REST_NANOS, rest));
    }
    return wins == WINS;
  }

  private long nanos(Kernel kernel) {
    long start = System.nanoTime();
    long least = LONG.get().toNanos();
    long end = start;
    while (end - start < SHORT_NANOS) {
      long before = end;
      try {
        var _ =
            new Limits(LONG, Long.MAX_VALUE).within(() -> kernel.run(operands, new Background()));
      } catch (HloException tooLong) {
        return LONG.get().toNanos();
      }
      end = System.nanoTime();
      least = Math.min(least, end - before);
    }
    return least;
  }

  /** The context of a run in the background, whose result is not used. */
  private record Background() implements KernelContext {
    @Override
    public Object allocate(Shape.Array shape) {
      return LiteralBuilder.newStorage(shape);
    }

    @Override
    public Literal call(HloComputation computation, Literal... arguments) {
      throw new NoCodeException("no kernel of a loop calls " + computation.name());
    }

    @Override
    public Workers workers() {
      return Workers.of(1);
    }
  }
}
