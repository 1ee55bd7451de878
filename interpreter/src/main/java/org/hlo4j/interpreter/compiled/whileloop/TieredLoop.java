package org.hlo4j.interpreter.compiled.whileloop;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
import org.hlo4j.interpreter.engine.PeakMemory;
import org.hlo4j.interpreter.engine.Warmup;
import org.hlo4j.interpreter.engine.Workers;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of a loop in two forms that compute the same bits: one that is fast at once, and one
 * that calls vector code. The latter is generated once the former has run for a while, and runs in
 * the background on the operands of an earlier run: first its vector code has to warm up, then C2
 * has to compile the loop. It replaces the former when it is faster.
 */
final class TieredLoop implements Kernel {
  private static final long ENOUGH_NANOS = 200_000_000;

  /**
   * The maximum size of a state that is copied for the warm-up, as no memory limit counts the copy.
   */
  private static final long MAX_BYTES = 1L << 24;

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

  /**
   * Only one loop warms up; others would wait for it and hold copies of their operands meanwhile.
   */
  private static final AtomicInteger UNDER_WAY = new AtomicInteger();

  private final Shape shape;
  private final Kernel first;
  private final Supplier<@Nullable ScalarKernel> candidateFactory;
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicBoolean isWarmupClaimed = new AtomicBoolean();
  private volatile @Nullable ScalarKernel second;
  private volatile boolean isWarmupOver;

  /**
   * Creates the kernel.
   *
   * @param shape the shape of the state
   * @param first the form that is fast at once
   * @param candidateFactory creates the other form, or returns null if there is none
   */
  TieredLoop(Shape shape, Kernel first, Supplier<@Nullable ScalarKernel> candidateFactory) {
    this.shape = shape.withoutLayout();
    this.first = first;
    this.candidateFactory = candidateFactory;
    this.isWarmupOver = PeakMemory.bytes(shape) > MAX_BYTES;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    ScalarKernel ready = second;
    if (ready != null) {
      return ready.run(operands, context);
    }
    if (isWarmupOver) {
      return first.run(operands, context);
    }
    Warmup.missed();
    long start = System.nanoTime();
    Literal result = first.run(operands, context);
    long all = nanos.addAndGet(System.nanoTime() - start);
    if ((all >= ENOUGH_NANOS || Warmup.isUnderWay()) && claimWarmup()) {
      Literal copy = LiteralArrays.copy(shape, operands[0]);
      UNDER_WAY.incrementAndGet();
      BACKGROUND.execute(() -> {
        warmUp(copy);
        UNDER_WAY.decrementAndGet();
      });
    }
    return result;
  }

  private boolean claimWarmup() {
    return !isWarmupClaimed.get()
        && UNDER_WAY.get() == 0
        && isWarmupClaimed.compareAndSet(false, true);
  }

  /** Takes the other form, if it forwards the same arrays and becomes faster. */
  void warmUp(Literal operand) {
    try {
      ScalarKernel candidate = candidateFactory.get();
      if (candidate != null
          && candidate.forwardsSameArraysAs(first)
          && isCompiled(candidate)
          && isFaster(candidate, operand)) {
        second = candidate;
      }
    } catch (Exception | Error problem) {
      System.getLogger(TieredLoop.class.getName())
          .log(Level.DEBUG, "hlo4j: a loop with calls does not work", problem);
    }
    isWarmupOver = true;
  }

  private static boolean isCompiled(ScalarKernel candidate) {
    long deadline = System.nanoTime() + MAX_COMPILATION_NANOS;
    while (!candidate.isReady() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(MIN_REST_NANOS);
    }
    return candidate.isReady();
  }

  private boolean isFaster(Kernel candidate, Literal operand) {
    long deadline = System.nanoTime() + MAX_COMPARISON_NANOS;
    int wins = 0;
    while (wins < WINS && System.nanoTime() < deadline) {
      long start = System.nanoTime();
      wins = nanos(candidate, operand) < MAX_TIME_RATIO * nanos(first, operand) ? wins + 1 : 0;
      long rest = RESTS_FOR_A_RUN * (System.nanoTime() - start);
      LockSupport.parkNanos(Math.max(MIN_REST_NANOS, rest));
    }
    return wins == WINS;
  }

  private static long nanos(Kernel kernel, Literal operand) {
    long start = System.nanoTime();
    long least = LONG.get().toNanos();
    long end = start;
    while (end - start < SHORT_NANOS) {
      long before = end;
      try {
        var _ =
            new Limits(LONG, Long.MAX_VALUE)
                .within(() -> kernel.run(new Literal[] {operand}, new Background()));
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

  @Override
  public int forwardedOperand(int array) {
    return first.forwardedOperand(array);
  }

  @Override
  public String describe() {
    return first.describe() + ", until one with calls of vectors is faster";
  }
}
