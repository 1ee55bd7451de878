package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.Map;
import java.util.Objects;
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
 * values. Elements that are read once are widened just before, and never leave the cache.
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

  /**
   * The number of rows that are widened together. Memory is read faster in several rows, as the
   * processor prefetches in each.
   */
  static final int ROWS = 8;

  private static final int MIN_VECTOR_WORK = 1 << 17;
  private static final int ARRAYS = 1;
  private static final int FROM = 2;
  private static final int END = 3;
  private static final int SOURCE_STRIDE = 4;
  private static final int TO = 5;
  private static final int STRIDE = 6;

  private final int width;
  private final Tiered<Widening> tiers;

  private Widenings(ElementType type) {
    this.width = Machine.width(ElementType.F32.bits());
    this.tiers =
        Tiered.of(
            Widening.class,
            "Widening" + type,
            emitter -> write(emitter, type),
            width,
            () -> warmup(type, width),
            MIN_VECTOR_WORK);
  }

  /**
   * {@return the conversion of a type; null if the type is not narrow or the accumulator type is
   * not f32}
   */
  static @Nullable Widenings of(ElementType type, AccumulatorType accumulatorType) {
    return NARROW.contains(type) && accumulatorType == AccumulatorType.F32
        ? ALL.computeIfAbsent(type, narrow -> CodeBudget.shared(() -> new Widenings(narrow)))
        : null;
  }

  private static void write(CodeEmitter emitter, ElementType type) {
    CodeBuilder code = emitter.code();
    Tiered.writeWarmupPrologue(code, FROM, END);
    emitter.body(() -> {
      int from = emitter.array(ARRAYS, 0, type);
      int to = emitter.array(ARRAYS, 1, ElementType.F32);
      int source = emitter.newLocal(TypeKind.INT);
      int target = emitter.newLocal(TypeKind.INT);
      CountedLoop.upTo(
          code,
          FROM,
          END,
          emitter.width(),
          () -> {
            code.iload(FROM).istore(source).iload(TO).istore(target);
            for (int row = 0; row < ROWS; row++) {
              int mark = emitter.mark();
              Value narrow = emitter.load(type, from, source);
              Value wide = ElementFunctions.convert(emitter, type, ElementType.F32, narrow);
              emitter.store(ElementType.F32, to, target, wide);
              emitter.release(mark);
              code.iload(source).iload(SOURCE_STRIDE).iadd().istore(source);
              code.iload(target).iload(STRIDE).iadd().istore(target);
            }
            code.iinc(TO, emitter.width());
          });
      code.return_();
    });
  }

  private static WarmupInput<Widening> warmup(ElementType type, int width) {
    Object[] arrays = {
      Storages.allocate(type, WarmupInput.ITERATIONS * width),
      Storages.allocate(ElementType.F32, WarmupInput.ITERATIONS * width)
    };
    return (widening, iterations) -> {
      int end = iterations > 0 ? iterations * width : iterations;
      widening.run(arrays, 0, end, 0, 0, 0);
    };
  }

  /**
   * Converts {@code to[t + i * stride + j] = from[f + i * apart + j]} for i below rows and j below
   * columns.
   */
  void run(
      Object from, int f, int sourceStride, int rows, int columns, Object to, int t, int stride) {
    Object[] arrays = {from, to};
    if (rows >= ROWS) {
      for (int i = 0; i < rows; i += ROWS) {
        int row = Math.min(i, rows - ROWS);
        convertRows(
            arrays, f + row * sourceStride, sourceStride, columns, t + row * stride, stride);
      }
    } else {
      for (int row = 0; row < rows; row++) {
        convertRows(arrays, f + row * sourceStride, 0, columns, t + row * stride, 0);
      }
    }
  }

  /** Converts as many rows as are widened together. */
  private void convertRows(
      Object[] arrays, int f, int sourceStride, int columns, int t, int stride) {
    Widening vectors = tiers.second((long) ROWS * columns);
    int whole = vectors == null ? 0 : columns / width * width;
    if (whole > 0) {
      Objects.requireNonNull(vectors).run(arrays, f, f + whole, sourceStride, t, stride);
    }
    if (whole < columns) {
      tiers.first().run(arrays, f + whole, f + columns, sourceStride, t + whole, stride);
    }
  }
}
