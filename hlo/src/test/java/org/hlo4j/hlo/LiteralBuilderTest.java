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
import java.nio.ByteBuffer;
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
}
