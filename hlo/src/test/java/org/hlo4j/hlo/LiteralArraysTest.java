package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.util.stream.Collectors.joining;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S8;
import static org.hlo4j.hlo.ElementType.U8;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Literals from flat arrays, buffers and memory segments, and their conversion to Java arrays. */
final class LiteralArraysTest {
  /** Returns 0 and 1 as elements of a type, or other values if it lacks one of them. */
  private static Literal numbers(ElementType type) {
    return switch (type) {
      case PRED -> Literal.of(new boolean[] {false, true});
      case S1 -> Literal.of(type, new int[] {0, -1});
      case F8E8M0FNU -> Literal.of(type, new float[] {1, 2});
      case C64, C128 -> Literal.of(type, new float[][] {{0, 1}, {2, 3}});
      default -> Literal.of(type, new int[] {0, 1});
    };
  }

  static Stream<Arguments> flat() {
    ByteBuffer bigEndian = ByteBuffer.allocate(9).put(0, (byte) 7).putFloat(1, 1).putFloat(5, 2);
    return Stream.of(
        Arguments.of("f32[2]", new float[] {1, 2}, "f32[2] {1, 2}"),
        Arguments.of("f32[1,2]", new float[] {1, 2}, "f32[1,2] { { 1, 2 } }"),
        Arguments.of("f32[2]{0}", new double[] {0.1, 2}, "f32[2] {0.1, 2}"),
        Arguments.of("f32[2]", new int[] {1, 2}, "f32[2] {1, 2}"),
        Arguments.of("f64[]", new double[] {0.5}, "f64[] 0.5"),
        Arguments.of("bf16[2]", new float[] {0.1f, 2}, "bf16[2] {0.1001, 2}"),
        Arguments.of("s8[2]", new byte[] {-1, 2}, "s8[2] {-1, 2}"),
        Arguments.of("s16[2]", new short[] {-1, 2}, "s16[2] {-1, 2}"),
        Arguments.of("s32[2]", new int[] {-1, 2}, "s32[2] {-1, 2}"),
        Arguments.of("s32[2]", new float[] {-1, 2}, "s32[2] {-1, 2}"),
        Arguments.of("s64[2]", new long[] {-1, 2}, "s64[2] {-1, 2}"),
        Arguments.of("u64[1]", new long[] {-1}, "u64[1] {18446744073709551615}"),
        Arguments.of("u8[2]", new int[] {255, 0}, "u8[2] {255, 0}"),
        Arguments.of("s4[2]", new byte[] {-8, 7}, "s4[2] {-8, 7}"),
        Arguments.of("pred[2]", new boolean[] {true, false}, "pred[2] {1, 0}"),
        Arguments.of("c64[2]", new float[] {1, 2, 3, 4}, "c64[2] {(1, 2), (3, 4)}"),
        Arguments.of("f32[<=2]", new Float[] {1f, 2f}, "f32[2] {1, 2}"),
        Arguments.of("f32[0,3]", new float[0], "f32[0,3] {  }"),
        Arguments.of("f32[2]", FloatBuffer.wrap(new float[] {9, 1, 2}, 1, 2), "f32[2] {1, 2}"),
        Arguments.of("f64[1]", DoubleBuffer.wrap(new double[] {1}), "f64[1] {1}"),
        Arguments.of("s16[1]", ShortBuffer.wrap(new short[] {1}), "s16[1] {1}"),
        Arguments.of("u8[1]", IntBuffer.wrap(new int[] {200}), "u8[1] {200}"),
        Arguments.of("s64[1]", LongBuffer.wrap(new long[] {1}), "s64[1] {1}"),
        Arguments.of("f32[2]", bigEndian.slice(1, 8), "f32[2] {1, 2}"),
        Arguments.of(
            "s32[1]",
            ByteBuffer.allocateDirect(4).order(ByteOrder.LITTLE_ENDIAN).put(0, (byte) 1),
            "s32[1] {1}"),
        Arguments.of("u8[2]", ByteBuffer.wrap(new byte[] {-1, 2}), "u8[2] {255, 2}"),
        Arguments.of("pred[2]", ByteBuffer.wrap(new byte[] {0, 2}), "pred[2] {0, 1}"),
        Arguments.of("c64[1]", MemorySegment.ofArray(new float[] {1, 2}), "c64[1] {(1, 2)}"),
        Arguments.of("f16[1]", MemorySegment.ofArray(new short[] {0x3c00}), "f16[1] {1}"),
        Arguments.of("s2[2]", MemorySegment.ofArray(new byte[] {-2, 1}), "s2[2] {-2, 1}"));
  }

  @ParameterizedTest
  @MethodSource("flat")
  void literalsFromFlatArraysAndBuffers(String shape, Object values, String text) {
    assertThat(Literal.of(Shape.parse(shape), values).toString()).isEqualTo(text);
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        Arguments.of("f32[2,3]", new float[5], "got 5 values, want 6 for f32[2,3]"),
        Arguments.of("c64[2]", new float[2], "got 2 values, want 4 for c64[2]"),
        Arguments.of("f32[2]", FloatBuffer.allocate(3), "got 3 values, want 2 for f32[2]"),
        Arguments.of("f32[2]", ByteBuffer.allocate(2), "got 2 bytes, want 8 for f32[2]"),
        Arguments.of("s4[2]", ByteBuffer.allocate(1), "got 1 bytes, want 2 for s4[2]"),
        Arguments.of(
            "f32[2]", MemorySegment.ofArray(new int[3]), "got 12 bytes, want 8 for f32[2]"),
        Arguments.of("(f32[2])", new float[2], "got (f32[2]), want an array"),
        Arguments.of("f32[1]", new boolean[1], "got boolean[] for f32[1], want numbers"),
        Arguments.of("pred[1]", new int[1], "got int[] for pred[1], want boolean[]"),
        Arguments.of("u8[1]", new byte[] {-1}, "got -1 for u8, want a value from 0 to 255"),
        Arguments.of("s32[1]", new float[] {0.5f}, "got 0.5 for s32, want an integer"),
        Arguments.of(
            "f32[1,1]",
            new float[1][1],
            "got float[][] for f32[1,1], want a flat array or list of numbers or booleans, a buffer"
                + " or a memory segment; nested arrays are read by Literal.of(array)"),
        Arguments.of(
            "f32[1]",
            CharBuffer.wrap("a"),
            "got StringCharBuffer for f32[1], want a flat array or list of numbers or booleans, a"
                + " buffer or a memory segment; nested arrays are read by Literal.of(array)"),
        Arguments.of(
            "f32[1]",
            new String[1],
            "got elements of java.lang.String, want boolean, byte, short, int, long, float or"
                + " double"),
        Arguments.of(
            "f32[]",
            Nulls.of(Object.class),
            "the values are null, want an array or a buffer for f32[]"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void mismatchedElementsAreRefused(String shape, Object values, String message) {
    assertRefused("literal: " + message, () -> Literal.of(Shape.parse(shape), values));
  }

  @Test
  void closedMemoryIsRefused() {
    Arena arena = Arena.ofConfined();
    MemorySegment segment = arena.allocate(4, 4);
    assertThat(Literal.of(Shape.of(S32), segment)).isEqualTo(Literal.of(0));
    arena.close();
    assertRefused(
        "literal: memory cannot be read: Already closed", () -> Literal.of(Shape.of(S32), segment));
  }

  @Test
  void arraysAndBuffersAreCopiedAndKeepTheirPosition() {
    float[] array = {1, 2, 3};
    FloatBuffer buffer = FloatBuffer.wrap(array, 1, 2);
    Literal ofArray = Literal.of(Shape.of(F32, 3), array);
    Literal ofBuffer = Literal.of(Shape.of(F32, 2), buffer);
    Arrays.fill(array, 9);
    assertThat(ofArray.toString()).isEqualTo("f32[3] {1, 2, 3}");
    assertThat(ofBuffer.toString()).isEqualTo("f32[2] {2, 3}");
    assertThat(buffer.position()).isEqualTo(1);
  }

  /** The elements that each method returns, or the method that it suggests if it refuses. */
  @ParameterizedTest
  @CsvSource({
    // type,   toInts,     toLongs,  toFloats,  toDoubles
    "pred,     01,         01,       01,        01",
    "s1,       '0 -1',     '0 -1',   '0 -1',    '0 -1'",
    "s8,       01,         01,       01,        01",
    "u16,      01,         01,       01,        01",
    "s32,      01,         01,       toInts,    01",
    "u32,      toLongs,    01,       toLongs,   01",
    "s64,      toLongs,    01,       toLongs,   toLongs",
    "u64,      toLongs,    01,       toLongs,   toLongs",
    "f8e8m0fnu, toFloats,  toFloats, '1 2',     '1 2'",
    "bf16,     toFloats,   toFloats, 01,        01",
    "f32,      toFloats,   toFloats, 01,        01",
    "f64,      toDoubles,  toDoubles, toDoubles, 01",
    "c64,      toFloats,   toFloats, '0 1 2 3', '0 1 2 3'",
    "c128,     toDoubles,  toDoubles, toDoubles, '0 1 2 3'"
  })
  void elementsAreWidenedWhereThatIsExact(
      String type, String ints, String longs, String floats, String doubles) {
    Literal literal = numbers(ElementType.named(type).orElseThrow());
    assertReads(literal, "toInts", "int", ints, l -> Arrays.stream(l.toInts()).asLongStream());
    assertReads(literal, "toLongs", "long", longs, l -> Arrays.stream(l.toLongs()));
    assertReads(literal, "toFloats", "float", floats, l -> longs(FloatBuffer.wrap(l.toFloats())));
    assertReads(
        literal,
        "toDoubles",
        "double",
        doubles,
        l -> Arrays.stream(l.toDoubles()).mapToLong(value -> (long) value));
  }

  private static String ofJava(String java) {
    return switch (java) {
      case "int" -> "S32";
      case "long" -> "S64";
      case "float" -> "F32";
      default -> "F64";
    };
  }

  private static LongStream longs(FloatBuffer floats) {
    return IntStream.range(0, floats.limit()).mapToLong(i -> (long) floats.get(i));
  }

  private static void assertReads(
      Literal literal, String call, String java, String want, Function<Literal, LongStream> read) {
    if (want.startsWith("to")) {
      assertRefused(
          String.format(
              "literal: %s got %s, want elements that are exact in %s; use %s%s",
              call,
              literal.shape(),
              java,
              want,
              literal.elementType().isComplex()
                  ? ""
                  : " or convertElementType(" + ofJava(java) + ")"),
          () -> read.apply(literal));
    } else {
      String got = read.apply(literal).mapToObj(Long::toString).collect(joining(" "));
      assertThat(got).isEqualTo(want.equals("01") ? "0 1" : want);
    }
  }

  @Test
  void largestValuesAreExact() {
    assertThat(Literal.of(ElementType.U32, 0xffffffffL).toDoubles()[0]).isEqualTo(4294967295.0);
    assertThat(Literal.of(ElementType.U16, 0xffff).toFloats()[0]).isEqualTo(65535f);
    assertThat(Literal.of(U8, 255).toInts()[0]).isEqualTo(255);
    assertThat(Literal.of(ElementType.U64, -1L).toLongs()[0]).isEqualTo(-1);
    assertThat(Literal.of(0.1f).toDoubles()[0]).isEqualTo((double) 0.1f);
  }

  @Test
  void elementsByIndex() {
    Literal matrix = Literal.of(new int[][] {{1, 2, 3}, {4, 5, 6}});
    assertThat(matrix.getInt(1, 2)).isEqualTo(6);
    assertThat(matrix.getDouble(1, 2)).isEqualTo(6.0);
    assertThat(Literal.of(0.5f).getFloat()).isEqualTo(0.5f);
    assertThat(Literal.of(ElementType.BF16, 0.5).getFloat()).isEqualTo(0.5f);
    assertRefused(
        "literal: getFloat got s32[2,3], want elements that are exact in float; use getInt or"
            + " convertElementType(F32)",
        () -> matrix.getFloat(0, 0));
    assertRefused(
        "literal: getInt got f64[], want elements that are exact in int; use getDouble or"
            + " convertElementType(S32)",
        () -> Literal.of(1.0).getInt());
    assertRefused(
        "literal: getBoolean got s32[2,3], want elements that are exact in boolean; use getInt or"
            + " convertElementType(PRED)",
        () -> matrix.getBoolean(0, 0));
    assertRefused(
        "literal: getDouble got c64[], want no complex numbers; use realAt and imaginaryAt",
        () -> Literal.complex(ElementType.C64, 1, 2).getDouble());
  }

  @ParameterizedTest
  @EnumSource(ElementType.class)
  void nestedArraysRoundTrip(ElementType type) {
    Literal literal = numbers(type).withShape(Shape.of(type, 2, 1));
    assertThat(Literal.of(type, literal.toArray())).isEqualTo(literal);
    Literal scalar = numbers(type.componentType()).withShape(Shape.of(type.componentType(), 1, 2));
    assertThat(Literal.of(type.componentType(), scalar.toArray())).isEqualTo(scalar);
  }

  @ParameterizedTest
  @CsvSource({
    "pred, boolean",
    "s4, byte",
    "u8, short",
    "s16, short",
    "u16, int",
    "u32, long",
    "u64, long",
    "f16, float",
    "f64, double",
    "c64, float[]",
    "c128, double[]"
  })
  void nestedArraysHaveTheNarrowestType(String type, String java) {
    Object array = numbers(ElementType.named(type).orElseThrow()).toArray();
    assertThat(array.getClass().getSimpleName()).isEqualTo(java + "[]");
  }

  @Test
  void nestedArrays() {
    Literal matrix = Literal.of(new int[][] {{1, 2, 3}, {4, 5, 6}});
    assertThat(matrix.toArray(int[][].class)).isEqualTo(new int[][] {{1, 2, 3}, {4, 5, 6}});
    assertThat(matrix.toArray(double[][].class)[1][2]).isEqualTo(6.0);
    assertThat(matrix.toArray()).isEqualTo(new int[][] {{1, 2, 3}, {4, 5, 6}});
    assertThat(Literal.of(0.5f).toArray()).isEqualTo(0.5f);
    assertThat(Literal.of(0.5f).toArray(Float.class)).isEqualTo(0.5f);
    assertThat((double) Literal.of(0.5f).toArray(double.class)).isEqualTo(0.5);
    assertThat(Literal.zeros(Shape.of(S8, 0, 1L << 62, 8)).toArray()).isEqualTo(new byte[0][][]);
    assertThat(Literal.zeros(Shape.of(S8, 2, 0)).toArray()).isEqualTo(new byte[2][0]);
    assertRefused(
        "literal: toArray got float[], want int[][] for s32[2,3]",
        () -> matrix.toArray(float[].class));
    assertRefused(
        "literal: toArray got double[], want double[][] for s32[2,3]",
        () -> matrix.toArray(double[].class));
    assertRefused(
        "literal: toArray got String, want Float for f32[]",
        () -> Literal.of(1f).toArray(String.class));
    assertRefused("literal: got (), want an array", () -> Literal.tuple().toArray());
  }

  @Test
  void nestedArraysThatJavaCannotHoldAreRefused() {
    Dims ones = Dims.filled(Shape.MAX_RANK, 1);
    assertRefused(
        "literal: toArray got rank 256, want at most 255, as Java has",
        () -> Literal.zeros(Shape.of(C64, ones)).toArray());
    assertRefused(
        "literal: the heap has no room for the arrays of s8[4611686018427387904,0], want a larger"
            + " -Xmx",
        () -> Literal.zeros(Shape.of(S8, 1L << 62, 0)).toArray());
  }

  @Test
  void viewsShareTheElements() {
    float[] array = {1, 2, 9};
    Literal floats = Literal.unsafeOf(Shape.of(F32, 2), array);
    FloatBuffer view = floats.asFloatBuffer();
    MemorySegment segment = floats.asMemorySegment();
    array[1] = 7;
    assertThat(view.limit()).isEqualTo(2);
    assertThat(view.get(1)).isEqualTo(7f);
    assertThat(segment.byteSize()).isEqualTo(8);
    assertThat(segment.toArray(ValueLayout.JAVA_FLOAT)).isEqualTo(new float[] {1, 7});
    assertThrows(ReadOnlyBufferException.class, () -> view.put(0, 1));
    assertThrows(IllegalArgumentException.class, () -> segment.fill((byte) 0));
    assertThat(Literal.of(new double[] {1}).asDoubleBuffer().get(0)).isEqualTo(1.0);
    assertThat(Literal.of(new int[] {1}).asIntBuffer().get(0)).isEqualTo(1);
    assertThat(Literal.of(new long[] {1}).asLongBuffer().get(0)).isEqualTo(1L);
    assertThat(Literal.of(U8, 255).asByteBuffer().get(0)).isEqualTo((byte) -1);
    assertThat(Literal.complex(ElementType.C64, 1, 2).asFloatBuffer().limit()).isEqualTo(2);
    assertRefused(
        "literal: asFloatBuffer got s32[], want elements stored as float, not int; use"
            + " asMemorySegment",
        () -> Literal.of(1).asFloatBuffer());
  }

  @Test
  void refusalsNamePublicTypes() {
    String want = ", want boolean, byte, short, int, long, float or double";
    for (Object map : List.of(Map.of("x", 1), Collections.singletonMap("x", 1))) {
      assertRefused("literal: got elements of java.util.Map" + want, () -> Literal.of(map));
    }
    assertRefused(
        "literal: got elements of java.lang.Object" + want, () -> Literal.of(new Object[] {1}));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"f32[2,3]", "(s32[], f32[<=4,?])", "token[]", "b(f32[2])", "f32[2,3]{0,1}"})
  void shapesRoundTripThroughText(String text) {
    assertWithMessage(text).that(Shape.parse(text).toString()).isEqualTo(text);
  }

  @Test
  void malformedShapesAreRefused() {
    assertThat(assertThrows(HloException.class, () -> Shape.parse("f322[2]")))
        .hasMessageThat()
        .isEqualTo(
            """
            1:1: got the unknown element type f322
              f322[2]
              ^
              nearest known name: f32\
            """);
  }
}
