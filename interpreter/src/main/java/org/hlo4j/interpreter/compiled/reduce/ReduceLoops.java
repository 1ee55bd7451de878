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

/** A factory of the loops that reduce, with a cache. */
final class ReduceLoops {
  /** The number of rows that are reduced at once into a row of accumulators. */
  static final int ROWS = 8;

  /** The maximum number of accumulators over which elements are interleaved. */
  static final int MAX_ACCUMULATORS = 64;

  /** The maximum number of rows that are interleaved at once. */
  static final int MAX_ROWS = 4;

  /**
   * The vector bits divided by this are the number of registers for accumulators: half of all, 16
   * of 512 bits or 8 of 256.
   */
  private static final int BITS_PER_ACCUMULATOR = 32;

  private static final int MAX_CACHED = 2_000;
  private static final LruCache<List<Object>, ReduceLoop> CACHE = new LruCache<>(MAX_CACHED);

  private ReduceLoops() {}

  /** {@return the number of accumulators over which elements are interleaved, on any machine} */
  static int accumulators(SingleOpReducer single) {
    return Lane.of(single.wide()).bits() == 64 ? 32 : 64;
  }

  /** {@return the number of accumulators that are left after the loop has combined them} */
  static int remainingAccumulators(SingleOpReducer single) {
    return accumulators(single) / SingleOpReducer.QUARTERS;
  }

  /**
   * {@return the number of rows for {@link #interleaved(SingleOpReducer, int)} whose accumulators
   * fit the registers}
   */
  static int rowsAtOnce(SingleOpReducer single) {
    int width = Machine.width(widest(List.of(single.type(), single.wide())));
    int vectors = Machine.vectorBits() / BITS_PER_ACCUMULATOR;
    return Math.clamp(vectors * width / accumulators(single), 1, MAX_ROWS);
  }

  /**
   * {@return the loop that reduces rows, each interleaved round-robin over accumulators of its own}
   * Several streams have a higher memory bandwidth than one, because the hardware prefetches only
   * to the end of a page.
   */
  static ReduceLoop interleaved(SingleOpReducer single, int rows) {
    return interleaved(single, accumulators(single), rows, false);
  }

  /** {@return the loop that adds elements to a number of accumulators, in turns} */
  static ReduceLoop rounds(SingleOpReducer single, int accumulators) {
    return interleaved(single, accumulators, 1, true);
  }

  private static ReduceLoop interleaved(
      SingleOpReducer single, int accumulators, int rows, boolean continues) {
    List<ElementType> types = List.of(single.type(), single.wide());
    String kind = continues ? "rounds_" : "rows_";
    String name = "reduce_" + kind + single.kind() + "_" + single.type();
    Consumer<CodeEmitter> writing =
        emitter -> ReduceCode.interleaved(emitter, single, accumulators, rows, continues);
    Supplier<ReduceLoop> first =
        () ->
            rows == 1
                ? Tiered.scalar(ReduceLoop.class, name, writing)
                : new RowByRow(interleaved(single, 1), 1, remainingAccumulators(single));
    return cached(
        List.of(kind, single, accumulators, rows),
        () ->
            TieredReduceLoop.of(
                first.get(), name, writing, widest(types), accumulators, types, rows + 1));
  }

  /**
   * {@return the loop that reduces elements that do not fill a round into the accumulators that are
   * left}
   */
  static ReduceLoop remainder(SingleOpReducer single) {
    return scalar(
        List.of("remainder", single),
        "reduce_rest_" + single.kind() + "_" + single.type(),
        emitter -> ReduceCode.remainder(emitter, single, remainingAccumulators(single)));
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
    return scalar(
        key("inOrder" + isScan + isReverse, body),
        (isScan ? "scan_" : "reduce_in_order_") + body.name(),
        emitter -> ReduceCode.inOrder(emitter, body, types, isReverse));
  }

  private static List<Object> key(String how, Reducer body) {
    return List.of(how, body.code().structure());
  }

  /** {@return the loop of a key, from the cache or newly made} */
  static ReduceLoop cached(List<Object> key, Supplier<ReduceLoop> factory) {
    return CACHE.get(key, factory);
  }

  private static ReduceLoop scalar(List<Object> key, String name, Consumer<CodeEmitter> writing) {
    return cached(key, () -> Tiered.scalar(ReduceLoop.class, name, writing));
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
