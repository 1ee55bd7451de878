package org.hlo4j.interpreter.compiled.fission;

import static com.google.common.truth.Truth.assertThat;

import java.lang.classfile.TypeKind;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.junit.jupiter.api.Test;

class StripsTest {
  private static final ElementType F32 = ElementType.F32;
  private static final int COUNT = 2 * LoopFission.STRIP + 300;

  /** A loop over two arrays. */
  public interface Loop {
    /** Computes elements {@code from} to {@code to}, exclusive. */
    void run(Object[] arrays, int from, int to);
  }

  /** Writes the body of a loop over two arrays of f32, x and y, at index i. */
  private interface Body {
    void write(CodeEmitter emitter, int x, int y, int i);
  }

  /** Splits {@code for (i = from; i < to; i++) body}. */
  private static Optional<Loop> split(Body body) {
    try {
      return Optional.of(
          LoopFission.instance(
              Loop.class,
              "Test",
              emitter ->
                  emitter.body(() -> {
                    int x = emitter.array(1, 0, F32);
                    int y = emitter.array(1, 1, F32);
                    int i = emitter.newLocal(TypeKind.INT);
                    emitter.code().iload(2).istore(i);
                    emitter.loop(i, 3, 1, () -> body.write(emitter, x, y, i));
                    emitter.code().return_();
                  })));
    } catch (NoCodeException oneLoop) {
      return Optional.empty();
    }
  }

  private static float[] run(Loop loop, int from) {
    float[] x = new float[COUNT];
    for (int i = 0; i < COUNT; i++) {
      x[i] = i * 0.25f - 100;
    }
    float[] y = new float[COUNT];
    loop.run(new Object[] {x, y}, from, COUNT);
    return y;
  }

  /** Returns {@code addend - x[i]}, with the sign bit flipped as an integer. */
  private static Value minus(CodeEmitter emitter, Value addend, int x, int i) {
    Value bits = emitter.reinterpret(emitter.load(F32, x, i));
    Value negated = emitter.xor(bits, emitter.constant(Lane.I32, Integer.MIN_VALUE));
    return emitter.add(emitter.reinterpret(negated), addend);
  }

  /** y[i] = 1 - x[i]. */
  private static void oneMinus(CodeEmitter emitter, int x, int y, int i) {
    emitter.store(F32, y, i, minus(emitter, emitter.constant(Lane.F32, 1), x, i));
  }

  @Test
  void bitsAreCopiedBetweenLoops() {
    float[] y = run(split(StripsTest::oneMinus).orElseThrow(), 5);
    for (int i = 0; i < COUNT; i++) {
      assertThat(y[i]).isEqualTo(i < 5 ? 0 : 1 - (i * 0.25f - 100));
    }
  }

  /** y[i] = ((int) x[i] < 0 ? sin(x[i]) : x[i]) + 1. */
  private static void sineOfNegatives(CodeEmitter emitter, int x, int y, int i) {
    Value element = emitter.load(F32, x, i);
    Value whole = emitter.convert(element, Lane.I32);
    Value isNegative = emitter.compare(Relation.LT, whole, emitter.constant(Lane.I32, 0));
    Value wide = emitter.convert(element, Lane.F64);
    Value sine = emitter.callWhere(wide, isNegative, StrictMath.class, "sin", wide);
    Value one = emitter.constant(Lane.F32, 1);
    emitter.store(F32, y, i, emitter.add(emitter.convert(sine, Lane.F32), one));
  }

  @Test
  void callsAreMasked() {
    float[] y = run(split(StripsTest::sineOfNegatives).orElseThrow(), 0);
    for (int i = 0; i < COUNT; i++) {
      float x = i * 0.25f - 100;
      assertThat(y[i]).isEqualTo((x <= -1 ? (float) StrictMath.sin(x) : x) + 1);
    }
  }

  @Test
  void loopsThatC2VectorizesAreNotSplit() {
    assertThat(
            split((emitter, x, y, i) -> {
              Value one = emitter.constant(Lane.F32, 1);
              emitter.store(F32, y, i, emitter.add(emitter.load(F32, x, i), one));
            }))
        .isEmpty();
  }

  /** Each iteration reads a value of the previous one. */
  @Test
  void loopsWithLoopCarriedDependencesAreNotSplit() {
    Value[] sum = new Value[1];
    assertThat(
            split((emitter, x, y, i) -> {
              sum[0] = new Value(Lane.F32, emitter.newLocal(TypeKind.FLOAT));
              emitter.inPrologue(() -> emitter.code().fconst_1().fstore(sum[0].local()));
              Value next = minus(emitter, sum[0], x, i);
              emitter.store(F32, y, i, next);
              emitter.assign(sum[0], next);
            }))
        .isEmpty();
  }

  /** y[i] = 1 - x[i], and then y[i] is doubled. */
  @Test
  void storedElementsMayBeReadAndStoredAgain() {
    Loop loop =
        split(
                (emitter, x, y, i) -> {
                  oneMinus(emitter, x, y, i);
                  Value two = emitter.constant(Lane.F32, 2);
                  emitter.store(F32, y, i, emitter.multiply(emitter.load(F32, y, i), two));
                })
            .orElseThrow();
    assertThat(run(loop, 0)[8]).isEqualTo(2 * (1 + 98));
  }

  /** Stores 1 - x[i] to y[i] and to y[i + 1]. */
  @Test
  void storesAtDifferentIndicesAreNotSplit() {
    assertThat(
            split((emitter, x, y, i) -> {
              oneMinus(emitter, x, y, i);
              oneMinus(emitter, x, y, emitter.sum(1, i));
            }))
        .isEmpty();
  }

  /** y[i] = y[i] - x[i]. */
  @Test
  void readsBeforeStoresAtTheSameIndexAreSplit() {
    Loop loop =
        split((emitter, x, y, i) ->
                emitter.store(F32, y, i, minus(emitter, emitter.load(F32, y, i), x, i)))
            .orElseThrow();
    assertThat(run(loop, 0)[8]).isEqualTo(98);
  }

  /** y[i] = y[i + 1] - x[i]: a later iteration stores y[i + 1]. */
  @Test
  void readsAtAnotherIndexAreNotSplit() {
    assertThat(
            split((emitter, x, y, i) -> {
              Value next = emitter.load(F32, y, emitter.sum(1, i));
              emitter.store(F32, y, i, minus(emitter, next, x, i));
            }))
        .isEmpty();
  }

  /** y[i] = x[0 i] - x[i]. */
  @Test
  void stridedReadsAreSplit() {
    Loop loop =
        split(
                (emitter, x, y, i) -> {
                  Value first = emitter.load(F32, x, emitter.product(i, emitter.sum(0)));
                  emitter.store(F32, y, i, minus(emitter, first, x, i));
                })
            .orElseThrow();
    assertThat(run(loop, 0)[8]).isEqualTo(-100 + 98);
  }

  /** Code that the methods of the emitter do not write may do anything. */
  @Test
  void loopsWithOtherCodeAreNotSplit() {
    assertThat(
            split((emitter, x, y, i) -> {
              oneMinus(emitter, x, y, i);
              emitter.code().iload(3).istore(3);
            }))
        .isEmpty();
  }

  @Test
  void loopsAroundLoopsAreNotSplit() {
    assertThat(
            split((emitter, x, y, i) -> {
              int j = emitter.newLocal(TypeKind.INT);
              emitter.loop(j, i, 1, () -> oneMinus(emitter, x, y, j));
            }))
        .isEmpty();
  }

  /** The second store is to y[2 i], which is not contiguous. */
  @Test
  void stridedStoresAreNotSplit() {
    assertThat(
            split((emitter, x, y, i) -> {
              oneMinus(emitter, x, y, i);
              oneMinus(emitter, x, y, emitter.product(i, emitter.sum(2)));
            }))
        .isEmpty();
  }
}
