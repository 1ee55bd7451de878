package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.C128;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected texts are those that XLA prints, except for -0.0. */
final class LiteralTextTest {
  private static String floats(ElementType type, double... values) {
    return Literal.of(type, values).toHloText();
  }

  private static String longs(ElementType type, long... values) {
    return Literal.of(type, values).toHloText();
  }

  private static String zeros(long... sizes) {
    return Literal.zeros(Shape.of(F32, sizes)).toHloText();
  }

  private static Literal ofBits(ElementType type, long... bits) {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(type, bits.length));
    for (int i = 0; i < bits.length; i++) {
      builder.setBits(i, bits[i]);
    }
    return builder.build();
  }

  @Test
  void predScalarsPrintAsWordsAndElementsAsDigits() {
    assertThat(Literal.of(true).toHloText()).isEqualTo("true");
    assertThat(Literal.of(false).toHloText()).isEqualTo("false");
    assertThat(Literal.of(new boolean[] {true, false, true}).toHloText()).isEqualTo("{1, 0, 1}");
  }

  @Test
  void integers() {
    assertThat(Literal.of(-5).toHloText()).isEqualTo("-5");
    assertThat(longs(ElementType.S1, -1, 0)).isEqualTo("{-1, 0}");
    assertThat(longs(ElementType.S2, -2, 1)).isEqualTo("{-2, 1}");
    assertThat(longs(ElementType.S4, -8, 7)).isEqualTo("{-8, 7}");
    assertThat(longs(ElementType.U1, 1, 0)).isEqualTo("{1, 0}");
    assertThat(longs(ElementType.U4, 15, 0)).isEqualTo("{15, 0}");
    assertThat(longs(ElementType.U8, 255)).isEqualTo("{255}");
    assertThat(longs(ElementType.S64, Long.MIN_VALUE)).isEqualTo("{-9223372036854775808}");
    assertThat(longs(ElementType.U64, -1)).isEqualTo("{18446744073709551615}");
  }

  @Test
  void wideFloatsHaveRoundTripDigits() {
    assertThat(floats(F32, 1, 2.5, 0.797884583, 0.044715, -0.00937442947))
        .isEqualTo("{1, 2.5, 0.797884583, 0.044715, -0.00937442947}");
    assertThat(floats(F32, 1e10, 123456789, 1e-5, 1e-4))
        .isEqualTo("{1e+10, 123456792, 1e-05, 0.0001}");
    assertThat(floats(F32, 0x1p-149, 0x1.fffffep127)).isEqualTo("{1.4013e-45, 3.40282347e+38}");
    assertThat(floats(F64, 1e100, 123456789, 0.1, 1234567, 1e-5))
        .isEqualTo("{1e+100, 123456789, 0.1, 1234567, 1e-05}");
    assertThat(floats(F64, 0.1 + 0.2, Double.MIN_VALUE, 1e15))
        .isEqualTo("{0.30000000000000004, 4.94065645841247e-324, 1e+15}");
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          bf16, 0.1, 0.1001
          bf16, 3.296e38, 3.296e+38
          f16, 0.1, 0.099976
          f16, 65504, 65504
          f16, 0x1p-24, 5.9605e-08
          f8e3m4, 0.1, 0.0938
          f8e3m4, 15.5, 15.5
          f8e4m3, 0.1, 0.102
          f8e4m3fn, 0.1, 0.102
          f8e4m3fn, 448, 448
          f8e4m3fn, 0x1p-9, 0.00195
          f8e4m3b11fnuz, 0.1, 0.102
          f8e4m3fnuz, 240, 240
          f8e5m2, 0.1, 0.094
          f8e5m2, 57344, 5.7e+04
          f8e5m2fnuz, 57344, 5.7e+04
          f8e8m0fnu, 0.5, 0.5
          f8e8m0fnu, 0x1p127, 1.7e+38
          f4e2m1fn, -1.5, -1.5
          """)
  void digitsOfNarrowFloats(String type, String value, String text) {
    Literal scalar = Literal.of(ElementType.named(type).orElseThrow(), Double.valueOf(value));
    assertThat(scalar.toHloText()).isEqualTo(text);
  }

  /** The digits suffice to read each finite value back exactly. */
  @ParameterizedTest
  @CsvSource({
    "f4e2m1fn",
    "f8e3m4",
    "f8e4m3",
    "f8e4m3fn",
    "f8e4m3b11fnuz",
    "f8e4m3fnuz",
    "f8e5m2",
    "f8e5m2fnuz",
    "f8e8m0fnu",
    "bf16",
    "f16"
  })
  void everyFiniteNarrowFloatRoundTrips(String name) {
    ElementType type = ElementType.named(name).orElseThrow();
    for (long bits = 0; bits < 1L << type.bits(); bits++) {
      if (Double.isFinite(type.decode(bits))) {
        double readBack = Double.parseDouble(LiteralText.number(type, bits));
        assertThat(type.encode(readBack)).isEqualTo(bits);
      }
    }
  }

  /** XLA prints -0, and reads it as the integer 0. */
  @Test
  void negativeZeroHasADecimalPoint() {
    assertThat(floats(F32, -0.0, 0.0)).isEqualTo("{-0.0, 0}");
    assertThat(Literal.complex(C64, -0.0, 0).toHloText()).isEqualTo("(-0.0, 0)");
  }

  @Test
  void infinitiesAndNaN() {
    double inf = Double.POSITIVE_INFINITY;
    assertThat(floats(F32, inf, -inf, Double.NaN)).isEqualTo("{inf, -inf, nan}");
    assertThat(ofBits(F32, 0x7fc00001L, 0xffc00000L, 0xff800001L).toHloText())
        .isEqualTo("{nan(0x400001), -nan, -nan(0x1)}");
    assertThat(ofBits(F64, 0xfff8_0000_0000_0000L, 0x7ff8_0000_0000_0001L).toHloText())
        .isEqualTo("{-nan, nan(0x8000000000001)}");
    assertThat(ofBits(ElementType.BF16, 0x3f81, 0x7f78, 0xffc0).toHloText())
        .isEqualTo("{1.008, 3.296e+38, -nan}");
    assertThat(ofBits(ElementType.F16, 0x7e01).toHloText()).isEqualTo("{nan(0x201)}");
    assertThat(ofBits(ElementType.F8E4M3FN, 0x7f, 0xff).toHloText()).isEqualTo("{nan, -nan}");
  }

  @Test
  void complexNumbersArePairs() {
    assertThat(Literal.of(C64, new float[][] {{1, 2}, {3, 0}}).toHloText())
        .isEqualTo("{(1, 2), (3, 0)}");
    assertThat(Literal.complex(C128, 0.1, Double.NaN).toHloText()).isEqualTo("(0.1, nan)");
  }

  @Test
  void nestedRows() {
    assertThat(Literal.of(new int[][] {{1, 2}, {3, 4}}).toHloText())
        .isEqualTo("{ { 1, 2 }, { 3, 4 } }");
    assertThat(Literal.of(new int[][][] {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}).toHloText())
        .isEqualTo("{ { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }");
    assertThat(Literal.of(new int[][] {{1}, {2}}).toHloText()).isEqualTo("{ {1}, {2} }");
    assertThat(Literal.full(Shape.of(PRED, 1, 2), true).toHloText()).isEqualTo("{ { 1, 1 } }");
  }

  @Test
  void emptyArrays() {
    assertThat(zeros(0)).isEqualTo("{}");
    assertThat(zeros(0, 3)).isEqualTo("{  }");
    assertThat(zeros(2, 0)).isEqualTo("{ {}, {} }");
    assertThat(zeros(2, 0, 3)).isEqualTo("{ {  }, {  } }");
    assertThat(zeros(0, 1L << 62, 4)).isEqualTo("{  }");
  }

  @Test
  void tuples() {
    Literal pair = Literal.tuple(Literal.of(1), Literal.of(new int[] {1, 2}));
    assertThat(pair.toHloText()).isEqualTo("( 1, {1, 2} )");
    assertThat(Literal.tuple(pair, Literal.tuple()).toHloText())
        .isEqualTo("( ( 1, {1, 2} ), (  ) )");
    assertThat(Literal.token().toHloText()).isEqualTo("token");
  }

  @Test
  void toStringHasShapeAndIsTruncated() {
    assertThat(Literal.of(new int[] {1, 2}).toString()).isEqualTo("s32[2] {1, 2}");
    String thousandZeros = "0, ".repeat(1000);
    assertThat(Literal.zeros(Shape.of(S32, 1000)).toString()).doesNotContain("...");
    assertThat(Literal.zeros(Shape.of(S32, 1001)).toString())
        .isEqualTo("s32[1001] {" + thousandZeros + "...}");
    assertThat(Literal.zeros(Shape.of(S32, 1001)).toHloText()).doesNotContain("...");
    assertThat(new LiteralText(3).append(Literal.zeros(Shape.of(S32, 3, 2))).toString())
        .isEqualTo("{ { 0, 0 }, { 0, ... }, ... }");
  }

  /** The array has no elements, but too many rows to print. XLA reads this form as well. */
  @Test
  void manyEmptyRowsAreNotWritten() {
    assertThat(Literal.zeros(Shape.of(S32, 1L << 40, 1L << 20, 0)).toString())
        .isEqualTo("s32[1099511627776,1048576,0] {...}");
    assertThat(Literal.zeros(Shape.of(S32, 101, 0)).toHloText()).isEqualTo("{...}");
    assertThat(Literal.zeros(Shape.of(S32, 100, 0)).toHloText()).startsWith("{ {}, {}, {}");
    assertThat(Literal.elided(Shape.of(S32, 101, 0)).isElided()).isFalse();
  }

  @Test
  void textDoesNotDependOnTheLocale() {
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
      assertThat(floats(F32, 1e10, 0.5)).isEqualTo("{1e+10, 0.5}");
    } finally {
      Locale.setDefault(before);
    }
  }
}
