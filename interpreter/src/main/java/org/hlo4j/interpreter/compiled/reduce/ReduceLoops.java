package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.LruCache;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/** A factory of the loops that reduce, with a cache. */
final class ReduceLoops {
  /** The number of rows that are reduced at once into a row of accumulators. */
  static final int ROWS = 8;

  /** The maximum number of accumulators over which elements are interleaved. */
  static final int MAX_ACCUMULATORS = 64;

  private static final long ENOUGH_ELEMENTS = 1 << 15;
  private static final int MAX_CACHED = 2_000;
  private static final LruCache<List<Object>, ReduceLoop> CACHE = new LruCache<>(MAX_CACHED);

  private ReduceLoops() {}

  /** {@return the loop that adds elements to a number of accumulators, in turns} */
  static ReduceLoop rounds(Reducer body, int accumulators) {
    List<ElementType> types = types(body, false);
    return cached(
        key("rounds" + accumulators, body),
        () ->
            tiered(
                "reduce_rounds_" + body.name(),
                emitter -> new ReduceCode(emitter, body, types).interleaved(accumulators, false),
                types,
                accumulators,
                types.size()));
  }

  /**
   * {@return the loop that reduces a number of rows into a row of accumulators}
   *
   * @param isScan whether these are copied to a row of results
   */
  static ReduceLoop rows(Reducer body, int rows, boolean isScan) {
    List<ElementType> types = types(body, isScan);
    return cached(
        key("rows" + rows + isScan, body),
        () ->
            tiered(
                (isScan ? "scan_rows_" : "reduce_rows_") + body.name(),
                emitter -> new ReduceCode(emitter, body, types).rows(rows),
                types,
                1,
                body.count() * (rows - 1) + types.size()));
  }

  /**
   * {@return the loop that reduces elements in order}
   *
   * @param isScan whether the accumulators are copied to the results after each element
   * @param isReverse whether it runs backwards
   */
  static ReduceLoop inOrder(Reducer body, boolean isScan, boolean isReverse) {
    List<ElementType> types = types(body, isScan);
    return cached(
        key("inOrder" + isScan + isReverse, body),
        () ->
            Tiered.scalar(
                ReduceLoop.class,
                (isScan ? "scan_" : "reduce_in_order_") + body.name(),
                emitter -> new ReduceCode(emitter, body, types).interleaved(1, isReverse)));
  }

  /** {@return a loop in two forms, with vectors of the widest of its types} */
  private static ReduceLoop tiered(
      String name,
      Consumer<CodeEmitter> writing,
      List<ElementType> types,
      int round,
      int positions) {
    int widest = types.stream().mapToInt(type -> Lane.of(type).bits()).max().orElseThrow();
    int width = Machine.width(widest);
    int step = Math.max(width, round);
    Supplier<WarmupInput<ReduceLoop>> warmup =
        () -> {
          int length = WarmupInput.ITERATIONS * Tiered.minElements(step);
          Object[] arrays = types.stream().map(type -> WarmupInput.array(type, length)).toArray();
          int[] zeros = new int[positions];
          return (loop, iterations) ->
              loop.run(
                  arrays,
                  zeros,
                  Math.max(0, -iterations),
                  Math.max(0, iterations) * Tiered.minElements(step));
        };
    return tiered(name, writing, width, step, 1, warmup);
  }

  /**
   * Returns a loop that runs its first form until C2 has compiled the second, and then runs the
   * second as far as its steps fit.
   *
   * @param name the name of the generated class
   * @param writing writes the code of a form; the first is scalar
   * @param width the number of lanes of the second form's vectors
   * @param step the number of iterations that the second form does at once
   * @param elements the number of elements in an iteration
   * @param warmup its warm-up
   */
  static ReduceLoop tiered(
      String name,
      Consumer<CodeEmitter> writing,
      int width,
      int step,
      long elements,
      Supplier<WarmupInput<ReduceLoop>> warmup) {
    return new InTwoForms(
        Tiered.of(ReduceLoop.class, name, writing, width, warmup, ENOUGH_ELEMENTS), step, elements);
  }

  private record InTwoForms(Tiered<ReduceLoop> forms, int step, long elements)
      implements ReduceLoop {
    @Override
    public void run(Object[] arrays, int[] positions, int from, int to) {
      int rest = from;
      ReduceLoop second = forms.second((to - from) * elements);
      if (second != null && (to - from) * elements >= Tiered.minElements(step)) {
        rest = to - (to - from) % step;
        second.run(arrays, positions, from, rest);
      }
      if (rest < to) {
        forms.first().run(arrays, positions, rest, to);
      }
    }

    @Override
    public void prepare() {
      forms.prepare();
    }
  }

  private static List<Object> key(String how, Reducer body) {
    return List.of(how, body.code().structure());
  }

  /** {@return the loop of a key, from the cache or newly made} */
  static ReduceLoop cached(List<Object> key, Supplier<ReduceLoop> factory) {
    return CACHE.get(key, factory);
  }

  /** {@return the types of elements and accumulators, and of the results of a scan} */
  private static List<ElementType> types(Reducer body, boolean isScan) {
    List<ElementType> types = new ArrayList<>();
    for (int k = 0; k < body.count(); k++) {
      types.add(body.code().elementType(k));
    }
    List<ElementType> results = isScan ? List.copyOf(types) : List.of();
    for (int k = 0; k < body.count(); k++) {
      types.add(body.code().accumulatorType(k));
    }
    types.addAll(results);
    return types;
  }
}
