package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.LruCache;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;

/** The loops that reduce, those of single ops made once for all. */
final class ReduceLoops {
  /** How many rows are reduced at once into a row of accumulators. */
  static final int ROWS = 8;

  /** The most accumulators that elements are interleaved over. */
  static final int MAX_ACCUMULATORS = 64;

  /** The most rows that are interleaved at once. */
  static final int MAX_ROWS = 4;

  /** Half of the registers hold accumulators: 16 of 512 bits, 8 of 256. */
  private static final int BITS_PER_ACCUMULATOR = 32;

  private static final int MAX_KEPT = 2_000;
  private static final LruCache<List<Object>, ReduceLoop> KNOWN = new LruCache<>(MAX_KEPT);

  private ReduceLoops() {}

  /** How many accumulators elements are interleaved over, on any machine. */
  static int accumulators(SingleOpReducer single) {
    return Lane.of(single.wide()).bits() == 64 ? 32 : 64;
  }

  /** How many of the accumulators are left when a loop has reduced them together. */
  static int left(SingleOpReducer single) {
    return accumulators(single) / SingleOpReducer.QUARTERS;
  }

  /** Distributes what is reduced among accumulators in turn. */
  static ReduceLoop lanewise(SingleOpReducer single) {
    int count = accumulators(single);
    List<ElementType> types = List.of(single.type(), single.wide());
    return known(
        List.of("lanewise", single),
        () ->
            TieredReduceLoop.of(
                "reduce_" + single.kind() + "_" + single.type(),
                emitter -> ReduceCode.lanewise(emitter, single, count, 1),
                widest(types),
                count,
                types,
                2));
  }

  /** How many rows {@link #lanewise(Single, int)} is for: their accumulators fit the registers. */
  static int rowsAtOnce(SingleOpReducer single) {
    int width = VectorSupport.width(widest(List.of(single.type(), single.wide())));
    int vectors = VectorSupport.bits() / BITS_PER_ACCUMULATOR;
    return Math.clamp(vectors * width / accumulators(single), 1, MAX_ROWS);
  }

  /**
   * The same of several rows. Memory gives more to who reads in several places: it prefetches but
   * to the end of a page only.
   */
  static ReduceLoop lanewise(SingleOpReducer single, int rows) {
    int count = accumulators(single);
    List<ElementType> types = List.of(single.type(), single.wide());
    return known(
        List.of("lanewise", single, rows),
        () ->
            TieredReduceLoop.of(
                new SeparateRows(lanewise(single), left(single)),
                "reduce_rows_" + single.kind() + "_" + single.type(),
                emitter -> ReduceCode.lanewise(emitter, single, count, rows),
                widest(types),
                count,
                types,
                rows + 1));
  }

  /** Reduces what is not enough for all accumulators into those that are left. */
  static ReduceLoop remainder(SingleOpReducer single) {
    return known(
        List.of("remainder", single),
        () ->
            HiddenClasses.instance(
                ReduceLoop.class,
                "reduce_rest_" + single.kind() + "_" + single.type(),
                code -> ReduceCode.remainder(CodeEmitter.scalar(code), single, left(single))));
  }

  /** Reduces so many rows, 1 or {@link #ROWS}, into a row of accumulators. */
  static ReduceLoop rows(Reducer body, int rows) {
    List<ElementType> types = types(body);
    return known(
        key("rows" + rows, body),
        () ->
            TieredReduceLoop.of(
                "reduce_rows_" + body.name(),
                emitter -> ReduceCode.rows(emitter, body, rows),
                widest(types),
                1,
                types,
                body.count() * (rows + 1)));
  }

  /** Reduces element after element. */
  static ReduceLoop inOrder(Reducer body) {
    return known(
        key("inOrder", body),
        () ->
            HiddenClasses.instance(
                ReduceLoop.class,
                "reduce_in_order_" + body.name(),
                code -> ReduceCode.inOrder(CodeEmitter.scalar(code), body)));
  }

  /** Computes values along a strip; types are those of its arrays. */
  static ReduceLoop strip(String name, StripCode code, List<ElementType> types) {
    return known(
        List.of("strip", code.structure(), types),
        () -> TieredReduceLoop.of(name, code::write, code.widest(), 1, types, types.size()));
  }

  /** Reduces and keeps what it has on the way, along the iterations or across them. */
  static ReduceLoop scan(Reducer body, boolean isAlong, boolean isReverse) {
    if (isAlong) {
      return known(
          key("along" + isReverse, body),
          () ->
              HiddenClasses.instance(
                  ReduceLoop.class,
                  "scan_" + body.name(),
                  code -> ScanCode.along(CodeEmitter.scalar(code), body, isReverse)));
    }
    ElementType wide = body.code().accumulatorType(0);
    List<ElementType> types = List.of(body.type(), wide, body.type());
    return known(
        key("across", body),
        () ->
            TieredReduceLoop.of(
                "scan_rows_" + body.name(),
                emitter -> ScanCode.across(emitter, body),
                widest(types),
                1,
                types,
                3));
  }

  private static List<Object> key(String how, Reducer body) {
    return List.of(how, body.code().structure());
  }

  /** A loop that is known, or made now. */
  static ReduceLoop known(List<Object> key, Supplier<ReduceLoop> making) {
    return KNOWN.get(key, making);
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
