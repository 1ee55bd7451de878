package org.hlo4j.interpreter.compiled.whileloop;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Warmup;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of a loop in two forms that compute the same bits: one that is fast at once, and one
 * that calls vector code. The latter is generated and warmed up once the former has run for a
 * while. It replaces the former when it is faster.
 */
final class TieredLoop implements Kernel {
  private static final long ENOUGH_NANOS = 200_000_000;

  /**
   * The maximum size of a state that is copied for the warm-up, as no memory limit counts the copy.
   */
  private static final long MAX_BITS = 1L << 27;

  private final Shape shape;
  private final Kernel first;
  private final Supplier<@Nullable LoopIterationKernel> candidateFactory;
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicBoolean isWarmupClaimed = new AtomicBoolean();
  private volatile @Nullable LoopIterationKernel second;
  private volatile boolean isWarmupOver;

  /**
   * Creates the kernel.
   *
   * @param shape the shape of the state
   * @param first the form that is fast at once
   * @param candidateFactory creates the other form, or returns null if there is none
   */
  TieredLoop(Shape shape, Kernel first, Supplier<@Nullable LoopIterationKernel> candidateFactory) {
    this.shape = shape.withoutLayout();
    this.first = first;
    this.candidateFactory = candidateFactory;
    this.isWarmupOver = bits(shape) > MAX_BITS;
  }

  private static long bits(Shape shape) {
    return Operand.arrays(shape)
        .mapToLong(array -> array.elementCount() * array.elementType().bits())
        .sum();
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    LoopIterationKernel ready = second;
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
      warmUp(LiteralArrays.copy(shape, operands[0]));
    }
    return result;
  }

  private boolean claimWarmup() {
    return !isWarmupClaimed.get()
        && BackgroundWarmup.isFree()
        && isWarmupClaimed.compareAndSet(false, true);
  }

  private void warmUp(Literal operand) {
    var _ =
        BackgroundWarmup.start(first, this::createCandidate, operand)
            .thenAccept(candidate -> {
              second = candidate;
              isWarmupOver = true;
            });
  }

  /** Returns the other form, if it forwards the same arrays. */
  private @Nullable LoopIterationKernel createCandidate() {
    LoopIterationKernel candidate = candidateFactory.get();
    return candidate != null && candidate.forwardsSameArraysAs(first) ? candidate : null;
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
