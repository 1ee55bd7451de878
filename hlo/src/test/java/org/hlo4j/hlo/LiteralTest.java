package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.C128;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S16;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S64;
import static org.hlo4j.hlo.ElementType.S8;
import static org.hlo4j.hlo.ElementType.U64;
import static org.hlo4j.hlo.ElementType.U8;
import static org.hlo4j.hlo.Refusals.assertRefused;

import com.google.common.collect.ImmutableSortedSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class LiteralTest {
  private final Literal matrix = Literal.of(new int[][] {{1, 2, 3}, {4, 5, 6}});

  static Stream<Arguments> natural() {
    return Stream.of(
        Arguments.of(true, "pred[] true"),
        Arguments.of((byte) -1, "s8[] -1"),
        Arguments.of((short) -1, "s16[] -1"),
        Arguments.of(-1, "s32[] -1"),
        Arguments.of(-1L, "s64[] -1"),
        Arguments.of(0.5f, "f32[] 0.5"),
        Arguments.of(0.5, "f64[] 0.5"),
        Arguments.of(new boolean[] {true, false}, "pred[2] {1, 0}"),
        Arguments.of(new byte[] {1}, "s8[1] {1}"),
        Arguments.of(new short[] {1}, "s16[1] {1}"),
        Arguments.of(new int[][] {{1, 2}, {3, 4}}, "s32[2,2] { { 1, 2 }, { 3, 4 } }"),
        Arguments.of(new long[][][] {{{1, 2}}}, "s64[1,1,2] { { { 1, 2 } } }"),
        Arguments.of(
            new float[][][][] {{{{1, 2}}}}, "f32[1,1,1,2] { { /*i0=0*/ { /*i1=0*/ { 1, 2 } } } }"),
        Arguments.of(new double[] {1, 2}, "f64[2] {1, 2}"),
        Arguments.of(new Integer[] {1, 2}, "s32[2] {1, 2}"),
        Arguments.of(new Boolean[] {true}, "pred[1] {1}"),
        Arguments.of(new float[0], "f32[0] {}"),
        Arguments.of(new float[0][3], "f32[0,0] {  }"),
        Arguments.of(new float[2][0], "f32[2,0] { {}, {} }"));
  }

  @ParameterizedTest
  @MethodSource("natural")
  void javaValuesHaveTheirNaturalType(Object value, String text) {
    assertThat(Literal.of(value).toString()).isEqualTo(text);
  }

  @Test
  void primitiveScalars() {
    assertThat(Literal.of(true).shape()).isEqualTo(Shape.of(PRED));
    assertThat(Literal.of((byte) 1).shape()).isEqualTo(Shape.of(S8));
    assertThat(Literal.of((short) 1).shape()).isEqualTo(Shape.of(S16));
    assertThat(Literal.of(1).shape()).isEqualTo(Shape.of(S32));
    assertThat(Literal.of(1L).shape()).isEqualTo(Shape.of(S64));
    assertThat(Literal.of(1f).shape()).isEqualTo(Shape.of(F32));
    assertThat(Literal.of(1d).shape()).isEqualTo(Shape.of(F64));
  }

  @ParameterizedTest
  @EnumSource(ElementType.class)
  void everyElementTypeHoldsItsValues(ElementType type) {
    Object one = type == PRED ? new boolean[] {false, true} : new int[] {0, 1};
    if (type == ElementType.S1) {
      one = new int[] {0, -1};
    }
    Object value = type.isComplex() ? new int[][] {{0, 1}, {1, 0}} : one;
    Literal literal =
        type == ElementType.F8E8M0FNU
            ? Literal.of(type, new float[] {1, 2})
            : Literal.of(type, value);

    assertThat(literal.shape()).isEqualTo(Shape.of(type, 2));
    assertThat(literal.elementType()).isEqualTo(type);
    String text =
        switch (type) {
          case S1 -> "{0, -1}";
          case F8E8M0FNU -> "{1, 2}";
          case C64, C128 -> "{(0, 1), (1, 0)}";
          default -> "{0, 1}";
        };
    assertThat(literal.toHloText()).isEqualTo(text);
    assertThat(Literal.tuple(literal).element(0)).isEqualTo(literal);
  }

  @Test
  void valuesAreRoundedToFloatTypes() {
    assertThat(Literal.of(F32, 0.1).getDouble()).isEqualTo((double) 0.1f);
    assertThat(Literal.of(BF16, 0.1f).getDouble()).isEqualTo(0.10009765625);
    assertThat(Literal.of(F16, 1e6).getDouble()).isPositiveInfinity();
    assertThat(Literal.of(F32, 16777217).getDouble()).isEqualTo(16777216.0);
  }

  @Test
  void integersFromFloatsMustBeWhole() {
    assertThat(Literal.of(S32, 3.0).getLong()).isEqualTo(3);
    assertThat(Literal.of(S64, -0x1p63).getLong()).isEqualTo(Long.MIN_VALUE);
    assertRefused("literal: got 2.5 for s32, want an integer", () -> Literal.of(S32, 2.5));
    assertRefused("literal: got NaN for s32, want an integer", () -> Literal.of(S32, Double.NaN));
    assertRefused(
        "literal: got 9.223372036854776E18 for s64, want a value from -9223372036854775808 to"
            + " 9223372036854775807",
        () -> Literal.of(S64, 0x1p63));
    assertRefused(
        "literal: got Infinity for s64, want a value from -9223372036854775808 to"
            + " 9223372036854775807",
        () -> Literal.of(S64, Double.POSITIVE_INFINITY));
    assertRefused("literal: got true for s32, want an integer", () -> Literal.of(S32, true));
  }

  @ParameterizedTest
  @CsvSource({
    "s1, 1, -1, 0",
    "s2, 2, -2, 1",
    "s4, 8, -8, 7",
    "s8, 128, -128, 127",
    "s16, 32768, -32768, 32767",
    "s32, 2147483648, -2147483648, 2147483647",
    "u1, 2, 0, 1",
    "u2, 4, 0, 3",
    "u4, 16, 0, 15",
    "u8, -1, 0, 255",
    "u16, 65536, 0, 65535",
    "u32, 4294967296, 0, 4294967295"
  })
  void integersOutOfRangeAreRefused(String name, long value, long least, long greatest) {
    ElementType type = ElementType.named(name).orElseThrow();
    assertThat(Literal.of(type, least).getLong()).isEqualTo(least);
    assertThat(Literal.of(type, greatest).getLong()).isEqualTo(greatest);
    assertRefused(
        String.format(
            "literal: got %s for %s, want a value from %s to %s", value, name, least, greatest),
        () -> Literal.of(type, value));
  }

  @Test
  void u64TakesLongsAsBitPatternsAndNoNegativeInts() {
    assertThat(Literal.of(U64, -1L).getLong()).isEqualTo(-1);
    assertRefused(
        "literal: got -1 for u64, want a value from 0 to 18446744073709551615",
        () -> Literal.of(U64, -1));
  }

  @Test
  void complexTypesTakePairs() {
    Literal scalar = Literal.of(C64, new float[] {1, 2});
    assertThat(scalar.shape()).isEqualTo(Shape.of(C64));
    assertThat(scalar).isEqualTo(Literal.complex(C64, 1, 2));
    Literal row = Literal.of(C128, new double[][][] {{{1, 2}, {3, 4}}});
    assertThat(row.shape()).isEqualTo(Shape.of(C128, 1, 2));
    assertThat(row.realAt(1)).isEqualTo(3.0);
    assertThat(row.imaginaryAt(1)).isEqualTo(4.0);
    assertThat(row.toDoubles()).usingExactEquality().containsExactly(1.0, 2.0, 3.0, 4.0);
    assertRefused(
        "literal: innermost arrays for c64 got sizes (3), want pairs of real and imaginary part",
        () -> Literal.of(C64, new float[3]));
    assertRefused(
        "literal: innermost arrays for c64 got sizes (), want pairs of real and imaginary part",
        () -> Literal.of(C64, 1f));
    assertRefused("literal: got a complex value, want f32", () -> Literal.complex(F32, 1, 2));
  }

  @Test
  void raggedAndNullArraysAreRefused() {
    assertRefused(
        "literal: ragged array, got 1 elements at depth 1 where the first has 2",
        () -> Literal.of(new float[][] {{1, 2}, {3}}));
    assertRefused(
        "literal: ragged array, got 1 elements at depth 1 where the first has 0",
        () -> Literal.of(new float[][] {{}, {3}}));
    assertRefused(
        "literal: ragged array, got 0 elements at depth 2 where the first has 1",
        () -> Literal.of(new float[][][] {{{1}}, {{}}}));
    assertRefused(
        "literal: an array at depth 1 is null",
        () -> Literal.of(new float[][] {Nulls.of(float[].class), {1}}));
    assertRefused(
        "literal: an array at depth 1 is null",
        () -> Literal.of(new float[][] {{1}, Nulls.of(float[].class)}));
    assertRefused(
        "literal: got null, want a number",
        () -> Literal.of(F32, new Float[] {1f, Nulls.of(Float.class)}));
    assertRefused(
        "literal: got null for pred, want a boolean",
        () -> Literal.of(new Boolean[] {Nulls.of(Boolean.class)}));
    assertRefused(
        "literal: the value is null, want a number or an array",
        () -> Literal.of(Nulls.of(Object.class)));
  }

  @Test
  void unsupportedJavaTypesAreRefused() {
    String want = ", want boolean, byte, short, int, long, float or double";
    assertRefused("literal: got elements of java.lang.String" + want, () -> Literal.of("1"));
    assertRefused("literal: got elements of char" + want, () -> Literal.of(new char[] {'1'}));
    assertRefused(
        "literal: got elements of java.lang.Object" + want, () -> Literal.of(new Object[] {1}));
    assertRefused("literal: got 1 for pred, want a boolean", () -> Literal.of(PRED, 1));
    assertRefused("literal: got a, want a number", () -> Literal.of(F32, 'a'));
    assertRefused("literal: got true, want a number", () -> Literal.of(F32, true));
  }

  @Test
  void full() {
    assertThat(Literal.full(Shape.of(F32, 2, 2), 7))
        .isEqualTo(Literal.of(new float[][] {{7, 7}, {7, 7}}));
    assertThat(Literal.full(Shape.of(PRED), true)).isEqualTo(Literal.of(true));
    assertThat(Literal.full(Shape.of(C64, 1), 2).toString()).isEqualTo("c64[1] {(2, 0)}");
    assertThat(Literal.full(Shape.of(F32, 0, 3), 7).elementCount()).isEqualTo(0);
    assertRefused(
        "literal: got 300 for u8, want a value from 0 to 255",
        () -> Literal.full(Shape.of(U8, 2), 300));
    assertRefused("literal: got true, want a number", () -> Literal.full(Shape.of(C64, 2), true));
  }

  @Test
  void zeros() {
    assertThat(Literal.zeros(Shape.of(PRED, 2))).isEqualTo(Literal.of(new boolean[2]));
    assertThat(Literal.zeros(Shape.of(C128))).isEqualTo(Literal.complex(C128, 0, 0));
    assertThat(Literal.zeros(Shape.of(S8, 0, 1L << 62, 8)).elementCount()).isEqualTo(0);
  }

  @Test
  void arraysThatDoNotFitInMemoryAreRefused() {
    assertRefused(
        "literal: f32[2147483648] has 2147483648 elements, want at most 2147483639",
        () -> Literal.zeros(Shape.of(F32, 1L << 31)));
    assertRefused(
        "literal: c64[1073741824] has 1073741824 elements, want at most 2147483639",
        () -> Literal.zeros(Shape.of(C64, 1L << 30)));
    assertRefused(
        "literal: c64[9223372036854775807] has 9223372036854775807 elements, want at most"
            + " 2147483639",
        () -> Literal.zeros(Shape.of(C64, Long.MAX_VALUE)));
    assertRefused(
        "shape: element count of f32[?] got ?, want a bound",
        () ->
            Literal.zeros(
                new Shape.Array(
                    F32, Dims.of(Shape.UNBOUNDED), ImmutableSortedSet.of(0), Optional.empty())));
  }

  @Test
  void withShapeKeepsTheElements() {
    assertThat(matrix.withShape(Shape.of(S32, 3, 2)))
        .isEqualTo(Literal.of(new int[][] {{1, 2}, {3, 4}, {5, 6}}));
    assertThat(Literal.of(7).withShape(Shape.of(S32, 1, 1)).getLong(0, 0)).isEqualTo(7);
    assertRefused(
        "literal: got s32[7], want as many elements of the same type as s32[2,3]",
        () -> matrix.withShape(Shape.of(S32, 7)));
    assertRefused(
        "literal: got f32[6], want as many elements of the same type as s32[2,3]",
        () -> matrix.withShape(Shape.of(F32, 6)));
  }

  @Test
  void finiteNumbers() {
    assertThat(Literal.of(new float[] {1, -0f, Float.MAX_VALUE}).isFinite()).isTrue();
    assertThat(Literal.of(new float[] {1, Float.NaN}).isFinite()).isFalse();
    assertThat(Literal.complex(ElementType.C64, 0, Double.NEGATIVE_INFINITY).isFinite()).isFalse();
    assertThat(Literal.tuple(Literal.of(1), Literal.of(1 / 0.0)).isFinite()).isFalse();
    assertThat(Literal.tuple(Literal.of(1), Literal.token()).isFinite()).isTrue();
  }

  @Test
  void tuples() {
    Literal tuple = Literal.tuple(matrix, Literal.tuple(), Literal.token());
    assertThat(tuple.shape()).isEqualTo(Shape.tuple(matrix.shape(), Shape.tuple(), Shape.token()));
    assertThat(tuple.elements()).hasSize(3);
    assertThat(tuple.element(0)).isSameInstanceAs(matrix);
    assertThat(Literal.tuple().elements()).isEmpty();
    assertThat(matrix.elements()).isEmpty();
    assertThat(matrix.arrays()).containsExactly(matrix);
    assertThat(Literal.tuple(Literal.token(), Literal.tuple(matrix), matrix).arrays())
        .containsExactly(matrix, matrix);
    Literal value = Literal.tuple(Literal.token(), Literal.tuple(matrix), Literal.tuple(), matrix);
    assertThat(Literal.ofArrays(value.shape(), value.arrays().iterator())).isEqualTo(value);
    assertRefused(
        "literal: got opaque[], want arrays and tokens",
        () -> Literal.ofArrays(Shape.parse("opaque[]"), List.<Literal>of().iterator()));
  }

  @Test
  void shapesLoseTheirLayout() {
    Shape.Array columns = Shape.of(F32, 2, 3).withLayout(new Layout(Dims.of(0, 1), ""));
    assertThat(Literal.zeros(columns).shape()).isEqualTo(Shape.of(F32, 2, 3));
  }

  @Test
  void tupleOfNullIsRefused() {
    assertRefused(
        "literal: an element of a tuple is null, want a literal",
        () -> Literal.tuple(matrix, Nulls.of(Literal.class)));
  }

  private static Literal nested(int depth, Literal innermost) {
    Literal value = innermost;
    for (int i = 0; i < depth; i++) {
      value = Literal.tuple(value);
    }
    return value;
  }

  /** Each level is looked at once: twice would never end. */
  @Test
  @Timeout(30)
  void deepTuplesAreComparedLevelByLevel() {
    Literal deep = nested(200, Literal.of(1));
    assertThat(nested(200, Literal.of(1))).isEqualTo(deep);
    assertThat(nested(200, Literal.of(1)).hashCode()).isEqualTo(deep.hashCode());
    assertThat(nested(200, Literal.of(2))).isNotEqualTo(deep);
    assertThat(nested(200, Literal.of(1f))).isNotEqualTo(deep);
    assertThat(nested(199, Literal.of(1))).isNotEqualTo(deep);
    assertThat(nested(60, Literal.tuple())).isNotEqualTo(nested(60, Literal.token()));
  }
}
