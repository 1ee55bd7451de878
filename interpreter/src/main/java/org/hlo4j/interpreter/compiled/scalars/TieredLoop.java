package org.hlo4j.interpreter.compiled.scalars;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A loop in two forms that compute the same bits: one that is fast at once, and one that calls code
 * of vectors. The latter is made and rehearsed once the former has taken a while, and takes over
 * when it is faster.
 */
final class TieredLoop implements Kernel {
  private static final long ENOUGH_NANOS = 200_000_000;

  private final Shape shape;
  private final Kernel first;
  private final Supplier<@Nullable TurnKernel> making;
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicBoolean asked = new AtomicBoolean();
  private volatile @Nullable TurnKernel second;
  private volatile boolean isOver;

  /**
   * A loop.
   *
   * @param shape of its state
   * @param first the form that is fast at once
   * @param making makes the other; gives null if there is none
   */
  TieredLoop(Shape shape, Kernel first, Supplier<@Nullable TurnKernel> making) {
    this.shape = shape.withoutLayout();
    this.first = first;
    this.making = making;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    TurnKernel ready = second;
    if (ready != null) {
      return ready.run(operands, context);
    }
    if (isOver) {
      return first.run(operands, context);
    }
    Literal copy = isDue() ? LiteralArrays.copy(shape, operands[0]) : null;
    long start = System.nanoTime();
    Literal result = first.run(operands, context);
    nanos.addAndGet(System.nanoTime() - start);
    if (copy != null) {
      var _ =
          Rehearsal.start(first, this::made, copy)
              .thenAccept(made -> {
                second = made;
                isOver = true;
              });
    }
    return result;
  }

  private boolean isDue() {
    return nanos.get() >= ENOUGH_NANOS && asked.compareAndSet(false, true);
  }

  /** The other form, if it hands on the same arrays. */
  private @Nullable TurnKernel made() {
    TurnKernel made = making.get();
    return made != null && made.passesOn(first) ? made : null;
  }

  @Override
  public int passedOn(int array) {
    return first.passedOn(array);
  }

  @Override
  public String describe() {
    return first.describe() + ", then with calls of vectors";
  }
}
