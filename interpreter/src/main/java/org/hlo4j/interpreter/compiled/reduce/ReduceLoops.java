package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.LruCache;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.hlo4j.interpreter.compiled.tiering.Tiered;

/** A factory of the loops that reduce, with a cache. */
final class ReduceLoops {
  /** The number of rows that are reduced at once into a row of accumulators. */
  static final int ROWS = 8;

  /** The maximum number of accumulators over which elements are interleaved. */
  static final int MAX_ACCUMULATORS = 64;

  private static final int MAX_CACHED = 2_000;
  private static final LruCache<List<Object>, ReduceLoop> CACHE = new LruCache<>(MAX_CACHED);

  private ReduceLoops() {}

  /** {@return the loop that adds elements to a number of accumulators, in turns} */
  static ReduceLoop rounds(SingleOpReducer single, int accumulators) {
    List<ElementType> types = List.of(single.type(), single.wide());
    return cached(
        List.of("rounds", single, accumulators),
        () ->
            TieredReduceLoop.of(
                "reduce_rounds_" + single.kind() + "_" + single.type(),
                emitter -> ReduceCode.rounds(emitter, single, accumulators),
                widest(types),
                accumulators,
                types,
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
            TieredReduceLoop.of(
                (isScan ? "scan_rows_" : "reduce_rows_") + body.name(),
                emitter -> ReduceCode.rows(emitter, body, types, rows),
                widest(types),
                1,
                types,
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
                emitter -> ReduceCode.inOrder(emitter, body, types, isReverse)));
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

  private static int widest(List<ElementType> types) {
    return types.stream().mapToInt(type -> Lane.of(type).bits()).max().orElse(32);
  }
}
