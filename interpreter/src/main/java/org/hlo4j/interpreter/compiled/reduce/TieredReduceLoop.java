package org.hlo4j.interpreter.compiled.reduce;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * A loop that runs its first form until C2 has compiled the second, and then runs the second.
 *
 * @param loops both forms
 * @param step the number of iterations that the second form does at once
 * @param least the least number of iterations for which it is worthwhile
 * @param elements the number of elements in an iteration
 */
record TieredReduceLoop(Tiered<ReduceLoop> loops, int step, int least, long elements)
    implements ReduceLoop {
  private static final long ENOUGH_ELEMENTS = 1 << 15;

  /**
   * Returns a loop whose first form is scalar.
   *
   * @param name the name of the generated class
   * @param writing writes the code of a form
   * @param widest the number of bits of its widest lane
   * @param round the number of iterations that have to be done at once; 1 if any number will do
   * @param types the element types of the arrays
   * @param positions the number of positions
   */
  static TieredReduceLoop of(
      String name,
      Consumer<CodeEmitter> writing,
      int widest,
      int round,
      List<ElementType> types,
      int positions) {
    int width = Machine.width(widest);
    int step = Math.max(width, round);
    int least = Tiered.minElements(step);
    Supplier<WarmupInput<ReduceLoop>> warmup = () -> warmup(types, positions, least);
    Tiered<ReduceLoop> loops =
        Tiered.of(ReduceLoop.class, name, writing, width, warmup, ENOUGH_ELEMENTS);
    return new TieredReduceLoop(loops, step, least, 1);
  }

  /**
   * Returns a loop with a warm-up of its own.
   *
   * @param name the name of the generated class
   * @param writing writes the code of a form
   * @param width the number of lanes of its vectors
   * @param step the number of iterations that the vector form does at once
   * @param elements the number of elements in an iteration
   * @param warmup its warm-up
   */
  static TieredReduceLoop of(
      String name,
      Consumer<CodeEmitter> writing,
      int width,
      int step,
      long elements,
      Supplier<WarmupInput<ReduceLoop>> warmup) {
    Tiered<ReduceLoop> loops =
        Tiered.of(ReduceLoop.class, name, writing, width, warmup, ENOUGH_ELEMENTS);
    return new TieredReduceLoop(loops, step, step, elements);
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

  @Override
  public void prepare() {
    loops.prepare();
  }
}
