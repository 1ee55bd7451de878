package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.CodeBudget;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of parts of a matrix from a narrow type to f32, which represents all of its
 * values, or their copy. Elements that are read once are widened just before, and never leave the
 * cache.
 */
final class Widenings {
  /** The types of 8 or 16 bits all of whose values f32 represents. */
  private static final ImmutableSet<ElementType> NARROW =
      Sets.immutableEnumSet(
          ElementType.BF16,
          ElementType.F16,
          ElementType.S8,
          ElementType.U8,
          ElementType.S16,
          ElementType.U16);

  private static final Map<ElementType, Widenings> ALL = new ConcurrentHashMap<>();

  /** The number of vectors that are widened together: those of a row of a panel of tiles. */
  private static final int VECTORS = Math.max(1, Machine.registers() / 8);

  private static final int MIN_VECTOR_WORK = 1 << 17;
  private static final int ARRAYS = 1;
  private static final int FROM = 2;
  private static final int SOURCE_STRIDE = 3;
  private static final int ROWS = 4;
  private static final int COLUMNS = 5;
  private static final int TO = 6;
  private static final int STRIDE = 7;

  private final int width;
  private final Tiered<Widening> tiers;

  private Widenings(ElementType type) {
    ElementType wide = NARROW.contains(type) ? ElementType.F32 : type;
    this.width = Machine.width(wide.bits());
    this.tiers =
        Tiered.of(
            Widening.class,
            "Widening" + type,
            emitter -> write(emitter, type, wide),
            width,
            () -> warmup(type, wide, width),
            MIN_VECTOR_WORK);
  }

  /**
   * {@return the conversion of a type; null if the type is not narrow or the accumulator type is
   * not f32}
   */
  static @Nullable Widenings of(ElementType type, AccumulatorType accumulatorType) {
    return NARROW.contains(type) && accumulatorType == AccumulatorType.F32 ? of(type) : null;
  }

  /** {@return the copies of elements of an accumulator type} */
  static Widenings copies(AccumulatorType accumulatorType) {
    return of(accumulatorType.type());
  }

  /**
   * {@return whether the fastest form is ready for so many elements, or they are few} Starts its
   * warm-up.
   */
  boolean isReadyFor(long elements) {
    return elements < MIN_VECTOR_WORK || tiers.isDecided(elements);
  }

  private static Widenings of(ElementType type) {
    return ALL.computeIfAbsent(type, any -> CodeBudget.shared(() -> new Widenings(any)));
  }

  private static void write(CodeEmitter emitter, ElementType type, ElementType wide) {
    CodeBuilder code = emitter.code();
    int step = emitter.width() == 1 ? 1 : VECTORS * emitter.width();
    int column = emitter.newLocal(TypeKind.INT);
    code.iconst_0().istore(column);
    Tiered.writeWarmupPrologue(code, column, COLUMNS);
    emitter.body(() -> {
      int from = emitter.array(ARRAYS, 0, type);
      int to = emitter.array(ARRAYS, 1, wide);
      int row = emitter.newLocal(TypeKind.INT);
      Runnable convertVectors =
          () -> {
            for (int i = 0; i < step; i += emitter.width()) {
              int mark = emitter.mark();
              Value loaded = emitter.load(type, from, emitter.sum(i, FROM, column));
              Value converted = ElementFunctions.convert(emitter, type, wide, loaded);
              emitter.store(wide, to, emitter.sum(i, TO, column), converted);
              emitter.release(mark);
            }
          };
      CountedLoop.fromZero(
          code,
          row,
          ROWS,
          () -> {
            code.iconst_0().istore(column);
            emitter.loop(column, COLUMNS, step, convertVectors);
            code.iload(FROM).iload(SOURCE_STRIDE).iadd().istore(FROM);
            code.iload(TO).iload(STRIDE).iadd().istore(TO);
          });
      code.return_();
    });
  }

  private static WarmupInput<Widening> warmup(ElementType type, ElementType wide, int width) {
    int rows = 2;
    int count = rows * WarmupInput.ITERATIONS * VECTORS * width;
    Object[] arrays = {Storages.allocate(type, count), Storages.allocate(wide, count)};
    return (widening, iterations) -> {
      int columns = Math.max(iterations, 1) * VECTORS * width;
      widening.run(arrays, 0, columns, rows, iterations > 0 ? columns : iterations, 0, columns);
    };
  }

  /**
   * Converts {@code to[t + i * stride + j] = from[f + i * sourceStride + j]} for i below rows and j
   * below columns. If the last columns do not fill vectors, these begin further left.
   */
  void run(
      Object from, int f, int sourceStride, int rows, int columns, Object to, int t, int stride) {
    Object[] arrays = {from, to};
    int step = VECTORS * width;
    Widening vectors = columns < step ? null : tiers.second((long) rows * columns);
    if (vectors == null) {
      tiers.first().run(arrays, f, sourceStride, rows, columns, t, stride);
      return;
    }
    int rest = columns & (step - 1);
    vectors.run(arrays, f, sourceStride, rows, columns - rest, t, stride);
    if (rest > 0) {
      int last = columns - step;
      vectors.run(arrays, f + last, sourceStride, rows, step, t + last, stride);
    }
  }
}
