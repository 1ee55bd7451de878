package org.hlo4j.interpreter.compiled.reduce;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/** A loop that starts on its first form and goes over to the second when that is compiled. */
final class TieredReduceLoop implements ReduceLoop {
  private static final long ENOUGH_ELEMENTS = 1 << 15;

  private final Tiered<ReduceLoop> loops;
  private final int step;
  private final int least;
  private final long elements;

  private TieredReduceLoop(Tiered<ReduceLoop> loops, int step, int least, long elements) {
    this.loops = loops;
    this.step = step;
    this.least = least;
    this.elements = elements;
  }

  /**
   * A loop.
   *
   * @param name what to call it
   * @param writing writes it
   * @param widest bits of the widest lane in it
   * @param round how many iterations have to be done at once; 1 if that does not matter
   * @param types what the arrays hold
   * @param positions how many positions it takes
   */
  static TieredReduceLoop of(
      String name,
      Consumer<CodeEmitter> writing,
      int widest,
      int round,
      List<ElementType> types,
      int positions) {
    ReduceLoop first = Tiered.scalar(ReduceLoop.class, name, writing);
    return of(first, name, writing, widest, round, types, positions);
  }

  /** The same with a loop to start on. */
  static TieredReduceLoop of(
      ReduceLoop first,
      String name,
      Consumer<CodeEmitter> writing,
      int widest,
      int round,
      List<ElementType> types,
      int positions) {
    int width = VectorSupport.width(widest);
    int step = Math.max(width, round);
    int least = Tiered.least(step);
    Supplier<WarmupInput<ReduceLoop>> warmup = () -> warmup(types, positions, least);
    return new TieredReduceLoop(
        Tiered.of(first, ReduceLoop.class, name, writing, width, warmup, ENOUGH_ELEMENTS),
        step,
        least,
        1);
  }

  /**
   * A loop with a warm-up of its own.
   *
   * @param name what to call it
   * @param writing writes it
   * @param width how many elements its vectors have
   * @param step how many iterations vectors do at once
   * @param elements how many elements an iteration has
   * @param warmup its warm-up
   */
  static TieredReduceLoop of(
      String name,
      Consumer<CodeEmitter> writing,
      int width,
      int step,
      long elements,
      Supplier<WarmupInput<ReduceLoop>> warmup) {
    return new TieredReduceLoop(
        Tiered.of(ReduceLoop.class, name, writing, width, warmup, ENOUGH_ELEMENTS),
        step,
        step,
        elements);
  }

  private static WarmupInput<ReduceLoop> warmup(List<ElementType> types, int positions, int step) {
    Object[] arrays =
        types.stream()
            .map(type -> WarmupInput.array(type, WarmupInput.ITERATIONS * step))
            .toArray();
    int[] zeros = new int[positions];
    return (loop, iterations) ->
        loop.run(arrays, zeros, Math.max(0, -iterations), Math.max(0, iterations) * step);
  }

  @Override
  public void run(Object[] arrays, int[] positions, int from, int to) {
    int main = from;
    ReduceLoop second = loops.second((to - from) * elements);
    if (second != null && to - from >= least) {
      main = to - (to - from) % step;
      second.run(arrays, positions, from, main);
    }
    if (main < to) {
      loops.first().run(arrays, positions, main, to);
    }
  }

  /** Makes the second form ready now, slow as it may still be. */
  void prepare() {
    loops.prepare();
  }
}
