package org.hlo4j.interpreter.compiled.codegen;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S64;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same calls of code emitters: for single elements, split loops and, if there are any, vectors.
 */
final class CodeEmitterTest {
  private static final int COUNT = 32;

  static IntStream widths() {
    return Machine.isVectorApiOn()
        ? IntStream.of(1, Loops.CUT, Machine.width(64))
        : IntStream.of(1, Loops.CUT);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void multipliesAndAdds(int width) {
    float[] result = new float[COUNT];
    run(
        width,
        (emitter, in) ->
            emitter.add(emitter.multiply(in[0], in[1]), emitter.constant(Lane.F32, 0.5)),
        new ElementType[] {F32, F32},
        F32,
        floats(i -> i),
        floats(i -> i - 7),
        result);
    assertThat(result[9]).isEqualTo(9 * 2 + 0.5f);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void comparesAndSelects(int width) {
    double[] result = new double[COUNT];
    run(
        width,
        (emitter, in) -> {
          Value less = emitter.compare(Relation.LT, in[0], emitter.constant(Lane.F32, 4));
          return emitter.select(
              less, emitter.convert(in[1], Lane.F64), emitter.constant(Lane.F64, -1));
        },
        new ElementType[] {F32, S32},
        F64,
        floats(i -> i),
        ints(i -> 10 * i),
        result);
    assertThat(result[3]).isEqualTo(30);
    assertThat(result[4]).isEqualTo(-1);
  }

  /** The widths without {@link Loops#CUT}, whose loops are split. */
  static IntStream widthsOfOneLoop() {
    return widths().filter(width -> width != Loops.CUT);
  }

  /** No vector has fewer than 8 bytes: with 256 bits, there are none of as many bytes as longs. */
  static IntStream widthsOfBytes() {
    return widths().filter(width -> width <= 1 || width >= Long.BYTES);
  }

  @ParameterizedTest
  @MethodSource("widthsOfBytes")
  void masksAreBytesInMemory(int width) {
    byte[] result = new byte[COUNT];
    byte[] even = new byte[COUNT];
    IntStream.range(0, COUNT).forEach(i -> even[i] = (byte) (i % 2 == 0 ? 1 : 0));
    run(
        width,
        (emitter, in) -> emitter.or(emitter.not(in[0]), emitter.convert(in[1], Lane.MASK)),
        new ElementType[] {PRED, S64},
        PRED,
        even,
        IntStream.range(0, COUNT).mapToLong(i -> i == 4 ? 1L << 40 : 0).toArray(),
        result);
    assertThat(result[2]).isEqualTo(0);
    assertThat(result[3]).isEqualTo(1);
    assertThat(result[4]).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void roundsToWholeNumbers(int width) {
    float[] in = {0.5f, -0.5f, 1.5f, -0.0f, 2.5f, Float.NaN, -1e9f, Float.NEGATIVE_INFINITY};
    float[] operand = new float[COUNT];
    IntStream.range(0, COUNT).forEach(i -> operand[i] = in[i % in.length]);
    float[] result = new float[COUNT];
    ElementType[] types = {F32};
    run(width, (emitter, v) -> emitter.rint(v[0]), types, F32, operand, result);
    float[] even = {0, -0.0f, 2, -0.0f, 2, Float.NaN, -1e9f, Float.NEGATIVE_INFINITY};
    assertThat(IntStream.range(0, 8).mapToObj(i -> result[i]).toList())
        .containsExactlyElementsIn(IntStream.range(0, 8).mapToObj(i -> even[i]).toList())
        .inOrder();
    run(width, (emitter, v) -> emitter.floor(v[0]), types, F32, operand, result);
    assertThat(result[1]).isEqualTo(-1);
    assertThat(result[3]).isEqualTo(-0.0f);
    run(width, (emitter, v) -> emitter.ceil(v[0]), types, F32, operand, result);
    assertThat(result[1]).isEqualTo(-0.0f);
    assertThat(result[4]).isEqualTo(3);
  }

  @ParameterizedTest
  @MethodSource("widthsOfOneLoop")
  void longMethodsAreRefused(int width) {
    TooLargeException refusal =
        assertThrows(
            TooLargeException.class,
            () ->
                run(
                    width,
                    (emitter, in) -> {
                      Value sum = in[0];
                      for (int i = 0; i < 1000; i++) {
                        sum = emitter.add(sum, in[0]);
                      }
                      return sum;
                    },
                    new ElementType[] {F32},
                    F32));
    assertThat(refusal).hasMessageThat().contains("bytecodes, want 6000 at most");
  }

  private static void run(
      int width,
      BiFunction<CodeEmitter, Value[], Value> body,
      ElementType[] operands,
      ElementType result,
      Object... arrays) {
    Loops.of(width, operands, result, body).run(arrays, 0, COUNT);
  }

  private static float[] floats(java.util.function.IntUnaryOperator value) {
    float[] array = new float[COUNT];
    IntStream.range(0, COUNT).forEach(i -> array[i] = value.applyAsInt(i));
    return array;
  }

  private static int[] ints(java.util.function.IntUnaryOperator value) {
    return IntStream.range(0, COUNT).map(value).toArray();
  }
}
