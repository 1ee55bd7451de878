package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S4;
import static org.hlo4j.hlo.ElementType.S8;
import static org.hlo4j.hlo.Refusals.assertRefused;

import com.google.common.base.Splitter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class LiteralBuilderTest {
  private static final String OFFER =
      "; LiteralBuilder.zeros and full begin with a value everywhere";

  @Test
  void setsInAnyOrderAndWraps() {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(S4, 3));
    builder.setLong(2, 8);
    builder.setLong(0, -1);
    builder.setLong(1, 0);
    assertThat(builder.build().toHloText()).isEqualTo("{-1, 0, -8}");

    LiteralBuilder floats = new LiteralBuilder(Shape.of(F16, 1));
    floats.setDouble(0, 0.1);
    assertThat(floats.build().getDouble(0)).isEqualTo(0.0999755859375);

    LiteralBuilder preds = new LiteralBuilder(Shape.of(PRED, 3));
    preds.setBoolean(0, true);
    preds.setLong(1, 5);
    preds.setBoolean(2, false);
    assertThat(preds.build()).isEqualTo(Literal.of(new boolean[] {true, true, false}));

    LiteralBuilder complex = new LiteralBuilder(Shape.of(C64, 2));
    complex.setComplex(1, 1, 2);
    complex.copy(0, Literal.complex(C64, 3, 4), 0);
    assertThat(complex.build().toHloText()).isEqualTo("{(3, 4), (1, 2)}");
  }

  /** Which positions are set, in order; and what build says. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,3] | 0 1 2 3 4     | got 5 of 6 elements of f32[2,3], want all: nothing set index (1, 2), position 5
          f32[2,3] | 1 2 3 4 5     | got 5 of 6 elements of f32[2,3], want all: nothing set index (0, 0), position 0
          f32[2,3] | 5 3 1         | got 3 of 6 elements of f32[2,3], want all: nothing set index (0, 0), position 0
          f32[2,3] | 0 0 1 1 5 5   | got 3 of 6 elements of f32[2,3], want all: nothing set index (0, 2), position 2
          f32[2,3] | 5 4 0 1 2     | got 5 of 6 elements of f32[2,3], want all: nothing set index (1, 0), position 3
          f32[2,3] |               | got 0 of 6 elements of f32[2,3], want all: nothing set index (0, 0), position 0
          s8[]     |               | got 0 of 1 elements of s8[], want all: nothing set index (), position 0
          c64[3]   | 2 0           | got 2 of 3 elements of c64[3], want all: nothing set index (1), position 1
          f32[2,3] | 5 4 3 2 1 0   |
          f32[2,3] | 3 0 4 1 5 2   |
          f32[2,3] | 0 1 2 3 4 5 0 |
          c64[3]   | 2 0 1         |
          s4[2]    | 1 0           |
          f32[0,3] |               |
          """)
  void everyElementHasToBeSet(String shape, String positions, String refusal) {
    LiteralBuilder builder = new LiteralBuilder((Shape.Array) Shape.parse(shape));
    Literal one = Literal.full(Shape.of(((Shape.Array) Shape.parse(shape)).elementType()), 1);
    for (String at : positions == null ? List.<String>of() : Splitter.on(' ').split(positions)) {
      builder.copy(Integer.parseInt(at), one, 0);
    }
    if (refusal == null) {
      assertThat(builder.build()).isEqualTo(Literal.full((Shape.Array) Shape.parse(shape), 1));
    } else {
      assertRefused("literal: " + refusal + OFFER, builder::build);
    }
  }

  /** What was missing can still be set. */
  @Test
  void aRefusedBuilderGoesOn() {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(F32, 2));
    builder.setDouble(1, 2);
    assertRefused(
        "literal: got 1 of 2 elements of f32[2], want all: nothing set index (0), position 0"
            + OFFER,
        builder::build);
    builder.setDouble(0, 1);
    assertThat(builder.build()).isEqualTo(Literal.of(new float[] {1, 2}));
  }

  /** A complex number of which only one part was set is none. */
  @Test
  void bothPartsHaveToBeSet() {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(C64, 2));
    builder.setBits(0, 0);
    builder.setBits(3, 0);
    assertRefused(
        "literal: got 0 of 2 elements of c64[2], want all: nothing set index (0), position 0"
            + OFFER,
        builder::build);
  }

  /** Blocks of bits, too, count as many elements as they have. */
  @Test
  void blocksAreCounted() {
    ByteBuffer two = ByteBuffer.allocate(8).putFloat(1).putFloat(2).flip();
    LiteralBuilder builder = new LiteralBuilder(Shape.of(F32, 5));
    builder.setBits(3, two);
    builder.setBits(0, two);
    assertRefused(
        "literal: got 4 of 5 elements of f32[5], want all: nothing set index (2), position 2"
            + OFFER,
        builder::build);
    builder.setBits(1, two);
    builder.setBits(0, two);
    assertThat(builder.build()).isEqualTo(Literal.of(new float[] {1, 2, 2, 1, 2}));
  }

  @ParameterizedTest
  @EnumSource(ElementType.class)
  void zerosAndFullBeginWithAValue(ElementType type) {
    Shape.Array shape = Shape.of(type, 2);
    Object value = 1;
    if (type == PRED) {
      value = true;
    } else if (type == ElementType.S1) {
      value = -1;
    }
    Literal full = Literal.full(shape, value);
    assertThat(LiteralBuilder.zeros(shape).build()).isEqualTo(Literal.zeros(shape));
    assertThat(LiteralBuilder.full(shape, value).build()).isEqualTo(full);
    LiteralBuilder mixed = LiteralBuilder.zeros(shape);
    mixed.copy(1, full, 0);
    assertThat(mixed.build().bitsAt(0)).isEqualTo(0);
    LiteralBuilder other = LiteralBuilder.full(shape, value);
    other.copy(0, Literal.zeros(shape), 0);
    other.copy(1, Literal.zeros(shape), 0);
    assertThat(other.build()).isEqualTo(Literal.zeros(shape));
  }

  @Test
  void fullRefusesWhatTheTypeDoesNotHold() {
    assertRefused(
        "literal: got 300 for s8, want a value from -128 to 127",
        () -> LiteralBuilder.full(Shape.of(S8, 2), 300));
  }

  @Test
  void isUsableOnce() {
    LiteralBuilder builder = LiteralBuilder.zeros(Shape.of(F32, 1));
    Literal literal = builder.build();
    assertRefused(
        "literal: set after build, want a new LiteralBuilder", () -> builder.setDouble(0, 1));
    assertRefused("literal: built twice, want a new LiteralBuilder", builder::build);
    assertThat(literal.getDouble(0)).isEqualTo(0.0);
  }

  @Test
  void refusesValuesOfAnotherKind() {
    LiteralBuilder floats = new LiteralBuilder(Shape.of(F32, 1));
    LiteralBuilder ints = new LiteralBuilder(Shape.of(S32, 1));
    assertRefused("f32 has no integer carrier", () -> floats.setLong(0, 1));
    assertRefused("s32 is not a floating-point type", () -> ints.setDouble(0, 1));
    assertRefused("literal: got a complex value, want s32", () -> ints.setComplex(0, 1, 2));
  }

  @Test
  void scalarAtGivesWhatWasSet() {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(F32, 3));
    builder.setDouble(1, 2);
    assertThat(builder.scalarAt(1)).isEqualTo(Literal.of(2f));
    assertRefused(
        "literal: got position 2 of f32[3], which nothing set, want one that was set",
        () -> builder.scalarAt(2));
  }

  /** Each setter, on each type that it sets: the value is wrapped or rounded once. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32  | 0.1, 1.5, -0, NaN      | {0.1, 1.5, -0.0, nan}
          f64  | 0.1, 1.5, -0, NaN      | {0.1, 1.5, -0.0, nan}
          bf16 | 0.1, 1.5, -0, NaN      | {0.1001, 1.5, -0.0, nan}
          """)
  void setDouble(String type, String values, String text) {
    ElementType elementType = ((Shape.Array) Shape.parse(type + "[]")).elementType();
    LiteralBuilder doubles = new LiteralBuilder(Shape.of(elementType, 4));
    int next = 0;
    for (String value : Splitter.on(", ").split(values)) {
      doubles.setDouble(next++, Double.parseDouble(value));
    }
    assertThat(doubles.build().toHloText()).isEqualTo(text);
  }

  @Test
  void setFloatAndSetInt() {
    LiteralBuilder floats = new LiteralBuilder(Shape.of(F32, 3));
    floats.setFloat(2, 0.1f);
    floats.setFloat(0, Float.NaN);
    floats.setFloat(1, -0f);
    assertThat(floats.build().toHloText()).isEqualTo("{nan, -0.0, 0.1}");
    LiteralBuilder halves = new LiteralBuilder(Shape.of(F16, 1));
    halves.setFloat(0, 65520);
    assertThat(halves.build().toHloText()).isEqualTo("{inf}");
    LiteralBuilder ints = new LiteralBuilder(Shape.of(S32, 2));
    ints.setInt(1, Integer.MIN_VALUE);
    ints.setInt(0, 7);
    assertThat(ints.build()).isEqualTo(Literal.of(new int[] {7, Integer.MIN_VALUE}));
    LiteralBuilder bytes = new LiteralBuilder(Shape.of(S8, 2));
    bytes.setInt(0, 200);
    bytes.setInt(1, -1);
    assertThat(bytes.build().toHloText()).isEqualTo("{-56, -1}");
  }

  @Test
  void settersRefuse() {
    LiteralBuilder floats = new LiteralBuilder(Shape.of(F32, 2));
    assertRefused("literal: got position 2, want one of f32[2]", () -> floats.setFloat(2, 1));
    assertRefused("literal: got position -1, want one of f32[2]", () -> floats.setDouble(-1, 1));
    assertRefused("f32 has no integer carrier", () -> floats.setInt(0, 1));
    LiteralBuilder ints = new LiteralBuilder(Shape.of(S32, 2));
    assertRefused("literal: got position 2, want one of s32[2]", () -> ints.setInt(2, 1));
    assertRefused("s32 is not a floating-point type", () -> ints.setFloat(0, 1));
    ints.setRow(0, new int[] {1});
    ints.setRow(1, new int[] {2});
    ints.build();
    String late = "literal: set after build, want a new LiteralBuilder";
    assertRefused(late, () -> ints.setInt(0, 1));
    assertRefused(late, () -> ints.setRow(0, new int[] {1}));
    LiteralBuilder complex = new LiteralBuilder(Shape.of(C64, 1));
    assertRefused("c64 is not a floating-point type", () -> complex.setFloat(0, 1));
  }

  /** A row from each kind of values that a literal is made of. */
  @Test
  void rows() {
    LiteralBuilder batch = new LiteralBuilder(Shape.of(F32, 6, 2));
    batch.setRow(3, new float[] {7, 8});
    batch.setRow(0, new double[] {0.1, 2});
    batch.setRow(1, new int[] {3, 4});
    batch.setRow(2, FloatBuffer.wrap(new float[] {0, 5, 6}, 1, 2));
    batch.setRow(5, MemorySegment.ofArray(new float[] {11, 12}));
    assertRefused(
        "literal: got 10 of 12 elements of f32[6,2], want all: nothing set index (4, 0), position 8"
            + OFFER,
        batch::build);
    batch.setRow(4, new long[] {9, 10});
    assertThat(batch.build().toHloText())
        .isEqualTo("{ { 0.1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 }, { 9, 10 }, { 11, 12 } }");
  }

  /** A shape, what its rows are set to, and what it gives or what is said of the last row. */
  @Test
  void rowsOfOtherShapes() {
    LiteralBuilder images = new LiteralBuilder(Shape.of(S8, 2, 1, 2));
    images.setRow(0, new int[] {1, -128});
    images.setRow(1, new byte[] {3, 4});
    assertThat(images.build().toHloText()).isEqualTo("{ { { 1, -128 } }, { { 3, 4 } } }");
    LiteralBuilder preds = new LiteralBuilder(Shape.of(PRED, 1, 2));
    preds.setRow(0, new boolean[] {true, false});
    assertThat(preds.build().toHloText()).isEqualTo("{ { 1, 0 } }");
    LiteralBuilder complex = new LiteralBuilder(Shape.of(C64, 2, 1));
    complex.setRow(1, new float[] {1, 2});
    complex.setRow(0, new double[] {3, 4});
    assertThat(complex.build().toHloText()).isEqualTo("{ {(3, 4)}, {(1, 2)} }");
    LiteralBuilder vector = new LiteralBuilder(Shape.of(S4, 2));
    vector.setRow(1, new int[] {7});
    vector.setRow(0, new int[] {-8});
    assertThat(vector.build().toHloText()).isEqualTo("{-8, 7}");
    LiteralBuilder empty = new LiteralBuilder(Shape.of(F32, 2, 0));
    empty.setRow(1, new float[0]);
    assertThat(empty.build()).isEqualTo(Literal.zeros(Shape.of(F32, 2, 0)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,3] | 0 | 2 | got 2 values, want 3 for row 0 of f32[2,3]
          f32[2,3] | 1 | 4 | got 4 values, want 3 for row 1 of f32[2,3]
          f32[2,3] | 2 | 3 | got row 2, want one of f32[2,3]
          f32[2,3] | -1 | 3 | got row -1, want one of f32[2,3]
          f32[0,3] | 0 | 3 | got row 0, want one of f32[0,3]
          f32[]    | 0 | 1 | setRow got a builder of f32[], want one of rows
          """)
  void rowsThatDoNotFit(String shape, int row, int length, String refusal) {
    LiteralBuilder builder = new LiteralBuilder((Shape.Array) Shape.parse(shape));
    assertRefused("literal: " + refusal, () -> builder.setRow(row, new float[length]));
    assertRefused("literal: " + refusal, () -> builder.setRow(row, new double[length]));
  }

  @Test
  @SuppressWarnings("NullAway") // bad input on purpose
  void valuesThatAreNoRow() {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(S8, 2, 1));
    assertRefused(
        "literal: got 200 for s8, want a value from -128 to 127",
        () -> builder.setRow(0, new int[] {200}));
    assertRefused(
        "literal: got boolean[] for row 1 of s8[2,1], want numbers",
        () -> builder.setRow(1, new boolean[1]));
    assertRefused(
        "literal: got byte[][] for row 1 of s8[2,1], want a flat array or list of numbers or"
            + " booleans, a buffer or a memory segment; nested arrays are read by"
            + " Literal.of(array)",
        () -> builder.setRow(1, new byte[1][1]));
  }
}
