package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.Refusals.assertRefused;

import com.google.common.collect.ImmutableList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reading of literals, and their equality. */
final class LiteralReadingTest {
  private final Literal matrix = Literal.of(new int[][] {{1, 2, 3}, {4, 5, 6}});

  private static Literal ofBits(ElementType type, long bits) {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(type));
    builder.setBits(0, bits);
    return builder.build();
  }

  @Test
  void elementsAreRead() {
    assertThat(matrix.elementCount()).isEqualTo(6);
    assertThat(matrix.linear(1, 0)).isEqualTo(3);
    assertThat(matrix.getLong(1, 2)).isEqualTo(6);
    assertThat(matrix.longAt(4)).isEqualTo(5);
    assertThat(matrix.toLongs()).asList().containsExactly(1L, 2L, 3L, 4L, 5L, 6L).inOrder();
    assertThat(Literal.of(true).getBoolean()).isTrue();
    assertThat(Literal.of(new boolean[] {true, false}).toBooleans())
        .isEqualTo(new boolean[] {true, false});
    assertThat(Literal.of(new float[] {1, 2}).toFloats()).isEqualTo(new float[] {1, 2});
    assertThat(Literal.of(BF16, new float[] {1, 2}).toFloats()).isEqualTo(new float[] {1, 2});
    assertThat(Literal.of(0.5f).bitsAt(0)).isEqualTo(0x3f000000);
    assertThat(Literal.of((byte) -1).bitsAt(0)).isEqualTo(0xff);
    assertThat(Literal.of(-1).bitsAt(0)).isEqualTo(0xffff_ffffL);
  }

  @Test
  void indicesOutOfBoundsAreRefused() {
    assertRefused("literal: got index (2, 0), want one of s32[2,3]", () -> matrix.getLong(2, 0));
    assertRefused("literal: got index (0, -1), want one of s32[2,3]", () -> matrix.getLong(0, -1));
    assertRefused("literal: got index (0), want one of s32[2,3]", () -> matrix.getLong(0));
    assertRefused("literal: got index (), want one of s32[2,3]", () -> matrix.getLong());
    assertRefused("literal: got index (0), want one of s32[]", () -> Literal.of(1).getLong(0));
    assertRefused(
        "literal: got index (0), want one of f32[0]",
        () -> Literal.zeros(Shape.of(F32, 0)).getDouble(0));
  }

  @Test
  void elidedElementsCannotBeRead() {
    Literal elided = Literal.elided(Shape.of(ElementType.BF16, 2, 3));
    assertThat(elided.isElided()).isTrue();
    assertThat(matrix.isElided()).isFalse();
    assertThat(Literal.token().isElided()).isFalse();
    assertThat(elided.toString()).isEqualTo("bf16[2,3] {...}");
    assertThat(elided).isEqualTo(Literal.elided(Shape.of(ElementType.BF16, 2, 3)));
    assertThat(elided).isNotEqualTo(Literal.zeros(Shape.of(ElementType.BF16, 2, 3)));
    String refusal =
        "literal: got bf16[2,3] whose elements were left out, written {...}, want them: XLA writes"
            + " them with print_large_constants";
    assertRefused(refusal, () -> elided.doubleAt(0));
    assertRefused(refusal, elided::unsafeStorage);
    assertRefused(refusal, elided::toFloats);
  }

  @Test
  void readingAsAnotherTypeIsRefused() {
    Literal tuple = Literal.tuple(matrix);
    assertRefused(
        "literal: got s32[2,3], want floats; integers are read by longAt, complex numbers by"
            + " realAt",
        () -> matrix.doubleAt(0));
    assertRefused(
        "literal: got f32[], want integers or pred; floats are read by doubleAt",
        () -> Literal.of(1f).longAt(0));
    assertRefused(
        "literal: got f32[], want complex numbers; floats are read by doubleAt, integers by longAt",
        () -> Literal.of(1f).realAt(0));
    assertRefused(
        "literal: got s32[2,3], want complex numbers; floats are read by doubleAt, integers by"
            + " longAt",
        () -> matrix.imaginaryAt(0));
    assertRefused("literal: got (s32[2,3]), want an array", tuple::arrayShape);
    assertRefused("literal: got (s32[2,3]), want an array", tuple::elementType);
    assertRefused("literal: got (s32[2,3]), want an array", tuple::elementCount);
    assertRefused("literal: got (s32[2,3]), want an array", tuple::unsafeStorage);
    assertRefused("literal: got (s32[2,3]), want an array", () -> tuple.bitsAt(0));
    assertRefused("literal: got token[], want an array", () -> Literal.token().getLong());
  }

  @Test
  void arraysAreCopiedInAndOut() {
    float[] values = {1, 2};
    Literal literal = Literal.of(values);
    values[0] = 9;
    literal.toFloats()[1] = 9;
    assertThat(literal).isEqualTo(Literal.of(new float[] {1, 2}));
  }

  @Test
  void equalByContent() {
    assertThat(matrix).isEqualTo(Literal.of(new int[][] {{1, 2, 3}, {4, 5, 6}}));
    assertThat(matrix.hashCode())
        .isEqualTo(Literal.of(new int[][] {{1, 2, 3}, {4, 5, 6}}).hashCode());
    assertThat(matrix).isNotEqualTo(matrix.withShape(Shape.of(S32, 3, 2)));
    assertThat(matrix).isNotEqualTo(Literal.of(new long[][] {{1, 2, 3}, {4, 5, 6}}));
    assertThat(Literal.of(0f)).isNotEqualTo(Literal.of(-0f));
    assertThat(Literal.of(F16, 0)).isNotEqualTo(Literal.of(F16, -0.0));
    assertThat(Literal.tuple(matrix)).isEqualTo(Literal.tuple(ImmutableList.of(matrix)));
    assertThat(Literal.tuple(matrix)).isNotEqualTo(matrix);
    assertThat(Literal.tuple()).isEqualTo(Literal.tuple());
    assertThat(Literal.tuple()).isNotEqualTo(Literal.token());
  }

  @ParameterizedTest
  @CsvSource({
    "f32, 7fc00000, ffc00001",
    "f64, 7ff8000000000000, fff8000000000001",
    "f16, 7e00, fe01",
    "bf16, 7fc0, ffc1",
    "f8e5m2, 7e, ff",
    "f8e4m3fn, 7f, ff"
  })
  void anyNaNEqualsAnyNaN(String name, String bits, String otherBits) {
    ElementType type = ElementType.named(name).orElseThrow();
    Literal one = ofBits(type, Long.parseUnsignedLong(bits, 16));
    Literal other = ofBits(type, Long.parseUnsignedLong(otherBits, 16));
    assertThat(one).isEqualTo(other);
    assertThat(one.hashCode()).isEqualTo(other.hashCode());
  }

  @ParameterizedTest
  @CsvSource({
    "f32, ffa00001",
    "f64, fff4000000000001",
    "f16, fd01",
    "bf16, ff81",
    "f8e5m2, fd",
    "f8e4m3fn, ff"
  })
  void nanPayloadsAreKept(String name, String bits) {
    ElementType type = ElementType.named(name).orElseThrow();
    long nan = Long.parseUnsignedLong(bits, 16);
    Literal literal = ofBits(type, nan);
    assertWithMessage(name).that(literal.getDouble()).isNaN();
    assertWithMessage(name).that(literal.bitsAt(0)).isEqualTo(nan);
    assertWithMessage(name).that(literal.repeated(Dims.of(2)).bitsAt(1)).isEqualTo(nan);
  }
}
