package org.hlo4j.interpreter.compiled.folds;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.List;
import java.util.function.Consumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.lanes.HiddenClasses;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.VectorSupport;
import org.jspecify.annotations.Nullable;

/**
 * A loop that starts on single elements and goes over to vectors when they are compiled: a thread
 * behind the scenes runs the vector code on arrays of its own until C2 has it.
 */
final class Tier implements Loop {
  private static final int TURNS = 512;
  private static final int CALLS = 2_500;
  private static final BlockingQueue<Tier> UNTRAINED = new LinkedBlockingQueue<>();
  private static final AtomicInteger PENDING = new AtomicInteger();

  static {
    Thread.ofPlatform().daemon().name("hlo4j-folds-trainer").start(Tier::trainAll);
  }

  private final Loop scalar;
  private final @Nullable Loop vector;
  private final int step;
  private final List<ElementType> types;
  private final int positions;
  private volatile boolean isTrained;

  private Tier(
      Loop scalar, @Nullable Loop vector, int step, List<ElementType> types, int positions) {
    this.scalar = scalar;
    this.vector = vector;
    this.step = step;
    this.types = types;
    this.positions = positions;
  }

  /**
   * A loop.
   *
   * @param name what to call it
   * @param writing writes it
   * @param widest bits of the widest lane in it
   * @param round how many turns have to be done at once; 1 if that does not matter
   * @param types what the arrays hold
   * @param positions how many positions it takes
   */
  static Tier of(
      String name,
      Consumer<Lanes> writing,
      int widest,
      int round,
      List<ElementType> types,
      int positions) {
    Loop scalar =
        HiddenClasses.instance(Loop.class, name, code -> writing.accept(Lanes.scalar(code)));
    int width = VectorSupport.width(widest);
    Loop vector = width > 1 ? vector(name, writing, width) : null;
    Tier tier = new Tier(scalar, vector, Math.max(width, round), types, positions);
    if (vector != null) {
      PENDING.incrementAndGet();
      UNTRAINED.add(tier);
    }
    return tier;
  }

  private static @Nullable Loop vector(String name, Consumer<Lanes> writing, int width) {
    try {
      return HiddenClasses.instance(
          Loop.class, name + "Vector", code -> writing.accept(Lanes.vector(code, width)));
    } catch (UnsupportedOperationException noVectors) {
      return null;
    }
  }

  @Override
  public void run(Object[] arrays, int[] positions, int from, int to) {
    int main = from;
    if (isTrained && to - from >= step) {
      main = to - (to - from) % step;
      vector.run(arrays, positions, from, main);
    }
    if (main < to) {
      scalar.run(arrays, positions, main, to);
    }
  }

  /** Waits until all loops made so far are trained, for tests and benchmarks. */
  static void await() throws InterruptedException {
    while (PENDING.get() > 0) {
      Thread.sleep(1);
    }
  }

  private static void trainAll() {
    while (true) {
      try {
        UNTRAINED.take().train();
      } catch (InterruptedException end) {
        return;
      } finally {
        PENDING.decrementAndGet();
      }
    }
  }

  private void train() {
    Object[] arrays = types.stream().map(type -> Cells.allocate(type, TURNS)).toArray();
    int[] zeros = new int[positions];
    for (int i = 0; i < CALLS; i++) {
      vector.run(arrays, zeros, 0, TURNS);
    }
    isTrained = true;
  }
}
