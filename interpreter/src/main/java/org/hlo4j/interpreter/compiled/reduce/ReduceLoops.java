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
    int count = accumulators(single);
    List<ElementType> types = List.of(single.type(), single.wide());
    String name = "reduce_rows_" + single.kind() + "_" + single.type();
    Consumer<CodeEmitter> writing =
        emitter -> ReduceCode.interleaved(emitter, single, count, rows, false);
    Supplier<ReduceLoop> first =
        () ->
            rows == 1
                ? Tiered.scalar(ReduceLoop.class, name, writing)
                : new RowByRow(interleaved(single, 1), 1, remainingAccumulators(single));
    return cached(
        List.of("lanewise", single, rows),
        () ->
            TieredReduceLoop.of(first.get(), name, writing, widest(types), count, types, rows + 1));
  }

  /**
   * {@return the loop that reduces elements that do not fill a round into the accumulators that are
   * left}
   */
  static ReduceLoop remainder(SingleOpReducer single) {
    return cached(
        List.of("remainder", single),
        () ->
            Tiered.scalar(
                ReduceLoop.class,
                "reduce_rest_" + single.kind() + "_" + single.type(),
                emitter -> ReduceCode.remainder(emitter, single, remainingAccumulators(single))));
  }

  /** {@return the loop that reduces a number of rows into a row of accumulators} */
  static ReduceLoop rows(Reducer body, int rows) {
    List<ElementType> types = types(body);
    return cached(
        key("rows" + rows, body),
        () ->
            TieredReduceLoop.of(
                "reduce_rows_" + body.name(),
                emitter -> ReduceCode.rows(emitter, body, rows),
                widest(types),
                types,
                body.count() * (rows + 1)));
  }

  /** {@return the loop that adds elements to a number of accumulators, in turns} */
  static ReduceLoop rounds(SingleOpReducer single, int accumulators) {
    List<ElementType> types = List.of(single.type(), single.wide());
    String name = "reduce_rounds_" + single.type();
    Consumer<CodeEmitter> writing =
        emitter -> ReduceCode.interleaved(emitter, single, accumulators, 1, true);
    return cached(
        List.of("rounds", single, accumulators),
        () ->
            TieredReduceLoop.of(
                Tiered.scalar(ReduceLoop.class, name, writing),
                name,
                writing,
                widest(types),
                accumulators,
                types,
                2));
  }

  /** {@return the loop that reduces elements in order} */
  static ReduceLoop inOrder(Reducer body) {
    return cached(
        key("inOrder", body),
        () ->
            Tiered.scalar(
                ReduceLoop.class,
                "reduce_in_order_" + body.name(),
                emitter -> ReduceCode.inOrder(emitter, body)));
  }

  /**
   * {@return the loop that computes values along a strip}
   *
   * @param structure a key that is equal for loops with the same code
   * @param widest the number of bits of its widest lane
   * @param types the element types of its arrays
   */
  static ReduceLoop strip(
      String name,
      List<Object> structure,
      Consumer<CodeEmitter> writing,
      int widest,
      List<ElementType> types) {
    return cached(
        List.of("strip", structure),
        () -> TieredReduceLoop.of(name, writing, widest, types, types.size()));
  }

  /** {@return the loop of a scan, along the iterations or across them} */
  static ReduceLoop scan(Reducer body, boolean isAlong, boolean isReverse) {
    if (isAlong) {
      return cached(
          key("along" + isReverse, body),
          () ->
              Tiered.scalar(
                  ReduceLoop.class,
                  "scan_" + body.name(),
                  emitter -> ScanCode.along(emitter, body, isReverse)));
    }
    ElementType wide = body.code().accumulatorType(0);
    List<ElementType> types = List.of(body.type(), wide, body.type());
    String name = "scan_rows_" + body.name();
    Consumer<CodeEmitter> writing = emitter -> ScanCode.across(emitter, body);
    return cached(
        key("across", body), () -> TieredReduceLoop.of(name, writing, widest(types), types, 3));
  }

  private static List<Object> key(String how, Reducer body) {
    return List.of(how, body.code().structure());
  }

  /** {@return the loop of a key, from the cache or newly made} */
  static ReduceLoop cached(List<Object> key, Supplier<ReduceLoop> factory) {
    return CACHE.get(key, factory);
  }

  private static List<ElementType> types(Reducer body) {
    List<ElementType> types = new ArrayList<>();
    for (int k = 0; k < body.count(); k++) {
      types.add(body.code().elementType(k));
    }
    for (int k = 0; k < body.count(); k++) {
      types.add(body.code().accumulatorType(k));
    }
    return types;
  }

  private static int widest(List<ElementType> types) {
    return types.stream().mapToInt(type -> Lane.of(type).bits()).max().orElse(32);
  }
}
