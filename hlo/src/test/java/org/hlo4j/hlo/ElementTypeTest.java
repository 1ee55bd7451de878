package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.C128;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F4E2M1FN;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.F8E5M2;
import static org.hlo4j.hlo.ElementType.F8E8M0FNU;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S64;
import static org.hlo4j.hlo.Refusals.assertRefused;

import com.google.common.base.Splitter;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Expected bits are those of Python's ml_dtypes and NumPy. */
final class ElementTypeTest {
  private static ElementType type(String name) {
    return ElementType.named(name).orElseThrow();
  }

  /** Checks rows of {@code value=bits}: the value in Java's notation, the bits in hexadecimal. */
  private static void assertEncodes(String name, String rows) {
    for (String row : Splitter.on(' ').omitEmptyStrings().split(rows)) {
      int equals = row.indexOf('=');
      double value = Double.parseDouble(row.substring(0, equals));
      assertWithMessage("%s %s", name, value)
          .that(Long.toHexString(type(name).encode(value)))
          .isEqualTo(row.substring(equals + 1));
    }
  }

  static Stream<ElementType> smallFloats() {
    return Arrays.stream(ElementType.values())
        .filter(type -> type.isFloating() && type.bits() <= 16);
  }

  /** Returns the small floating-point types that have a sign and a mantissa. */
  static Stream<ElementType> smallBinaryFloats() {
    return smallFloats().filter(type -> type != F8E8M0FNU);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          f4e2m1fn, -1=a 1.25=2 1.28125=3 1.75=4 1.71875=3 -1.75=c
          f8e3m4, -1=b0 1.03125=30 0x1.09p0=31 1.09375=32 0x1.17p0=31 -0x1.18p0=b2
          f8e4m3, -1=b8 1.0625=38 0x1.12p0=39 1.1875=3a 0x1.2ep0=39 -1.1875=ba
          f8e4m3fn, -1=b8 1.0625=38 0x1.12p0=39 1.1875=3a 0x1.2ep0=39 -1.1875=ba
          f8e4m3b11fnuz, -1=d8 1.0625=58 0x1.12p0=59 1.1875=5a 0x1.2ep0=59 -1.1875=da
          f8e4m3fnuz, -1=c0 1.0625=40 0x1.12p0=41 1.1875=42 0x1.2ep0=41 -1.1875=c2
          f8e5m2, -1=bc 1.125=3c 0x1.24p0=3d 1.375=3e 0x1.5cp0=3d -1.375=be
          f8e5m2fnuz, -1=c0 1.125=40 0x1.24p0=41 1.375=42 0x1.5cp0=41 -1.375=c2
          bf16, -1=bf80 0x1.01p0=3f80 0x1.012p0=3f81 0x1.03p0=3f82 0x1.02ep0=3f81 -0x1.03p0=bf82
          f16, -1=bc00 0x1.002p0=3c00 0x1.0024p0=3c01 0x1.006p0=3c02 0x1.005cp0=3c01 -0x1.006p0=bc02
          """)
  void encodesToNearestTiesToEven(String name, String rows) {
    assertEncodes(name, rows);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          f4e2m1fn, 0.5=1 0.25=0 -0.25=8 0.375=1 1.25=2 0.75=2 1=2
          f8e3m4, 0x1p-6=1 0x1p-7=0 -0x1p-7=80 0x1.8p-7=1 0x1.4p-5=2 0x1.fp-3=10 0.25=10
          f8e4m3, 0x1p-9=1 0x1p-10=0 -0x1p-10=80 0x1.8p-10=1 0x1.4p-8=2 0x1.ep-7=8 0x1p-6=8
          f8e4m3fn, 0x1p-9=1 0x1p-10=0 -0x1p-10=80 0x1.8p-10=1 0x1.4p-8=2 0x1.ep-7=8 0x1p-6=8
          f8e4m3b11fnuz, 0x1p-13=1 0x1p-14=0 0x1.8p-14=1 0x1.4p-12=2 0x1.ep-11=8 0x1p-10=8
          f8e4m3fnuz, 0x1p-10=1 0x1p-11=0 -0x1p-11=0 0x1.8p-11=1 0x1.4p-9=2 0x1.ep-8=8 0x1p-7=8
          f8e5m2, 0x1p-16=1 0x1p-17=0 -0x1p-17=80 0x1.8p-17=1 0x1.4p-15=2 0x1.cp-15=4 0x1p-14=4
          f8e5m2fnuz, 0x1p-17=1 0x1p-18=0 -0x1p-18=0 0x1.8p-18=1 0x1.4p-16=2 0x1.cp-16=4 0x1p-15=4
          bf16, 0x1p-133=1 -0x1p-134=8000 0x1.8p-134=1 0x1.4p-132=2 0x1.fep-127=80 0x1p-126=80
          f16, 0x1p-24=1 0x1p-25=0 -0x1p-25=8000 0x1.8p-25=1 0x1.4p-23=2 0x1.ffcp-15=400 0x1p-14=400
          """)
  void encodesDenormals(String name, String rows) {
    assertEncodes(name, rows);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          f4e2m1fn, 6=7 -6=f 6.5=7 7=7 -7=f 7.5=7 12=7
          f8e3m4, 15.5=6f -15.5=ef 15.625=6f 15.75=70 -15.75=f0 15.875=70 31=70
          f8e4m3, 240=77 -240=f7 244=77 248=78 -248=f8 252=78 480=78
          f8e4m3fn, 448=7e -448=fe 456=7e 464=7e 472=7f 896=7f
          f8e4m3b11fnuz, 30=7f -30=ff 30.5=7f 31=80 -31=80 31.5=80 60=80
          f8e4m3fnuz, 240=7f -240=ff 244=7f 248=80 -248=80 252=80 480=80
          f8e5m2, 57344=7b -57344=fb 59392=7b 61440=7c -61440=fc 63488=7c 114688=7c
          f8e5m2fnuz, 57344=7f -57344=ff 59392=7f 61440=80 -61440=80 63488=80 114688=80
          bf16, 0x1.fep127=7f7f 0x1.fe8p127=7f7f 0x1.ffp127=7f80 -0x1.ffp127=ff80 0x1.fep128=7f80
          f16, 65504=7bff -65504=fbff 65512=7bff 65520=7c00 -65520=fc00 65528=7c00 131008=7c00
          """)
  void encodesOverflow(String name, String rows) {
    assertEncodes(name, rows);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          f4e2m1fn, 0=0 -0=8 Infinity=7 -Infinity=f NaN=8
          f8e3m4, 0=0 -0=80 Infinity=70 -Infinity=f0 NaN=78
          f8e4m3, 0=0 -0=80 Infinity=78 -Infinity=f8 NaN=7c
          f8e4m3fn, 0=0 -0=80 Infinity=7f NaN=7f
          f8e4m3b11fnuz, 0=0 -0=0 Infinity=80 -Infinity=80 NaN=80
          f8e4m3fnuz, 0=0 -0=0 Infinity=80 -Infinity=80 NaN=80
          f8e5m2, 0=0 -0=80 Infinity=7c -Infinity=fc NaN=7e
          f8e5m2fnuz, 0=0 -0=0 Infinity=80 -Infinity=80 NaN=80
          bf16, 0=0 -0=8000 Infinity=7f80 -Infinity=ff80 NaN=7fc0
          f16, 0=0 -0=8000 Infinity=7c00 -Infinity=fc00 NaN=7e00
          """)
  void encodesZerosInfinitiesAndNaN(String name, String rows) {
    assertEncodes(name, rows);
  }

  @ParameterizedTest
  @CsvSource({
    "bf16,    f32,    true",
    "f16,     f32,    true",
    "f16,     bf16,   false",
    "bf16,    f16,    false",
    "f32,     f64,    true",
    "f8e8m0fnu, f32,  true",
    "f8e5m2,  f8e4m3, false",
    "f8e4m3fn, f16,   true",
    "s8,      s16,    true",
    "u8,      s8,     false",
    "u8,      s16,    true",
    "s8,      u16,    false",
    "s8,      f32,    false",
    "pred,    s32,    false",
    "c64,     c128,   true",
    "f32,     c64,    false",
    "f32,     f32,    true",
  })
  void typesWithinOthers(String narrow, String wide, boolean isWithin) {
    assertThat(type(narrow).isWithin(type(wide))).isEqualTo(isWithin);
  }

  /** XLA keeps the sign of a NaN here; hlo4j has one NaN per type. */
  @Test
  void negativeOverflowWithoutInfinityGivesTheOnlyNaN() {
    assertEncodes("f8e4m3fn", "-472=7f -Infinity=7f -NaN=7f");
  }

  @Test
  void encodesPowersOfTwo() {
    assertEncodes("f8e8m0fnu", "1=7f 1.25=7f 1.5=80 1.75=80 2=80 2.5=80 3=81");
    assertEncodes("f8e8m0fnu", "0x1p127=fe 0x1.7p127=fe 0x1.8p127=ff 0x1p128=ff");
    assertEncodes("f8e8m0fnu", "0x1p-127=0 0x1.8p-127=1 0x1p-128=0 0x1p-140=0");
    assertEncodes("f8e8m0fnu", "0=ff -0=ff -1=ff Infinity=ff -Infinity=ff NaN=ff");
  }

  @Test
  void encodesWideFloats() {
    assertEncodes("f32", "1=3f800000 0.1=3dcccccd -0=80000000 1e39=7f800000 NaN=7fc00000");
    assertEncodes("f32", "0x1.000001p0=3f800000 0x1.000003p0=3f800002 0x1p-149=1 0x1p-150=0");
    assertEncodes("f64", "1=3ff0000000000000 -0=8000000000000000 NaN=7ff8000000000000");
  }

  @Test
  void everyNaNEncodesToTheCanonicalNaN() {
    double odd = Double.longBitsToDouble(0xfff4_0000_0000_0001L);
    assertThat(F64.encode(odd)).isEqualTo(0x7ff8_0000_0000_0000L);
    assertThat(F32.encode(odd)).isEqualTo(0x7fc0_0000L);
    assertThat(F16.encode(odd)).isEqualTo(0x7e00L);
  }

  @ParameterizedTest
  @MethodSource("smallFloats")
  void encodeInvertsDecodeForEveryBitPattern(ElementType type) {
    for (long bits = 0; bits < 1L << type.bits(); bits++) {
      double value = type.decode(bits);
      long expected = Double.isNaN(value) ? type.encode(Double.NaN) : bits;
      assertWithMessage("%s %s", type, bits).that(type.encode(value)).isEqualTo(expected);
    }
  }

  /**
   * The midpoint of two neighbours rounds to the even one; values beside it round to the nearer.
   */
  @ParameterizedTest
  @MethodSource("smallBinaryFloats")
  void roundsToNearestBetweenAllNeighbours(ElementType type) {
    for (long low = 0; type.decode(low) < type.maxFinite(); low++) {
      double middle = (type.decode(low) + type.decode(low + 1)) / 2;
      long even = low + (low & 1);
      assertWithMessage("%s %s", type, middle).that(type.encode(middle)).isEqualTo(even);
      assertWithMessage("%s below %s", type, middle)
          .that(type.encode(Math.nextDown(middle)))
          .isEqualTo(low);
      assertWithMessage("%s above %s", type, middle)
          .that(type.encode(Math.nextUp(middle)))
          .isEqualTo(low + 1);
    }
  }

  @Test
  void decodesAllOfF16AsTheJdkDoes() {
    for (int bits = 0; bits < 1 << 16; bits++) {
      assertThat(F16.decode(bits)).isEqualTo((double) Float.float16ToFloat((short) bits));
    }
  }

  @Test
  void decodesBf16AsTheUpperHalfOfF32() {
    for (int bits = 0; bits < 1 << 16; bits++) {
      assertThat(BF16.decode(bits)).isEqualTo((double) Float.intBitsToFloat(bits << 16));
    }
  }

  @Test
  void decodesF8e5m2AsTheUpperHalfOfF16() {
    for (int bits = 0; bits < 1 << 8; bits++) {
      assertThat(F8E5M2.decode(bits)).isEqualTo(F16.decode((long) bits << 8));
    }
  }

  @Test
  void decodesAllOfF4() {
    double[] decoded = new double[16];
    Arrays.setAll(decoded, F4E2M1FN::decode);
    assertThat(decoded)
        .usingExactEquality()
        .containsExactly(
            0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0)
        .inOrder();
  }

  @Test
  void roundGivesTheNearestValue() {
    assertThat(F64.round(0.1)).isEqualTo(0.1);
    assertThat(F32.round(0.1)).isEqualTo(0.10000000149011612);
    assertThat(F16.round(0.1)).isEqualTo(0.0999755859375);
    assertThat(BF16.round(0.1)).isEqualTo(0.10009765625);
    assertThat(type("f8e4m3fn").round(1000)).isNaN();
  }

  @ParameterizedTest
  @CsvSource({
    "pred, 0=0 1=1 2=1 -1=1",
    "s1, 0=0 1=-1 2=0 -1=-1",
    "s2, 1=1 2=-2 3=-1 4=0 -3=1",
    "s4, 7=7 8=-8 -9=7 16=0",
    "s8, 127=127 128=-128 -129=127 256=0",
    "s16, 32767=32767 32768=-32768 -32769=32767",
    "s32, 2147483647=2147483647 2147483648=-2147483648 -2147483649=2147483647",
    "s64, 9223372036854775807=9223372036854775807 -9223372036854775808=-9223372036854775808",
    "u1, 0=0 1=1 2=0 -1=1",
    "u2, 3=3 4=0 -1=3",
    "u4, 15=15 16=0 -1=15",
    "u8, 255=255 256=0 -1=255",
    "u16, 65535=65535 65536=0 -1=65535",
    "u32, 4294967295=4294967295 4294967296=0 -1=4294967295",
    "u64, -1=-1 9223372036854775807=9223372036854775807"
  })
  void integersWrap(String name, String rows) {
    for (String row : Splitter.on(' ').split(rows)) {
      long value = Long.parseLong(row.substring(0, row.indexOf('=')));
      long wrapped = Long.parseLong(row.substring(row.indexOf('=') + 1));
      assertWithMessage("%s %s", name, value).that(type(name).wrap(value)).isEqualTo(wrapped);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "pred, 0, 1",
    "s1, -1, 0",
    "s2, -2, 1",
    "s4, -8, 7",
    "s8, -128, 127",
    "s16, -32768, 32767",
    "s32, -2147483648, 2147483647",
    "s64, -9223372036854775808, 9223372036854775807",
    "u1, 0, 1",
    "u2, 0, 3",
    "u4, 0, 15",
    "u8, 0, 255",
    "u16, 0, 65535",
    "u32, 0, 4294967295",
    "u64, 0, -1" // as bit pattern
  })
  void integerLimits(String name, long least, long greatest) {
    assertThat(type(name).minLong()).isEqualTo(least);
    assertThat(type(name).maxLong()).isEqualTo(greatest);
  }

  @ParameterizedTest
  @CsvSource({
    "f4e2m1fn, 4, 1, 6, false, false",
    "f8e3m4, 8, 4, 15.5, true, true",
    "f8e4m3, 8, 3, 240, true, true",
    "f8e4m3fn, 8, 3, 448, false, true",
    "f8e4m3b11fnuz, 8, 3, 30, false, true",
    "f8e4m3fnuz, 8, 3, 240, false, true",
    "f8e5m2, 8, 2, 57344, true, true",
    "f8e5m2fnuz, 8, 2, 57344, false, true",
    "f8e8m0fnu, 8, 0, 0x1p127, false, true",
    "bf16, 16, 7, 0x1.fep127, true, true",
    "f16, 16, 10, 65504, true, true",
    "f32, 32, 23, 0x1.fffffep127, true, true",
    "f64, 64, 52, 0x1.fffffffffffffp1023, true, true"
  })
  void floatProperties(
      String name, int bits, int mantissaBits, String maxFinite, boolean infinity, boolean nan) {
    assertThat(type(name).bits()).isEqualTo(bits);
    assertThat(type(name).mantissaBits()).isEqualTo(mantissaBits);
    assertThat(type(name).maxFinite()).isEqualTo(Double.parseDouble(maxFinite));
    assertThat(type(name).hasInfinity()).isEqualTo(infinity);
    assertThat(type(name).hasNaN()).isEqualTo(nan);
  }

  @Test
  void namesMatchHloAndAreFound() {
    assertThat(Arrays.stream(ElementType.values()).map(ElementType::toString))
        .containsExactly(
            "pred",
            "s1",
            "s2",
            "s4",
            "s8",
            "s16",
            "s32",
            "s64",
            "u1",
            "u2",
            "u4",
            "u8",
            "u16",
            "u32",
            "u64",
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
            "f16",
            "f32",
            "f64",
            "c64",
            "c128");
    for (ElementType type : ElementType.values()) {
      assertThat(ElementType.named(type.toString())).hasValue(type);
    }
    assertThat(ElementType.named("F32")).isEmpty();
    assertThat(ElementType.named("")).isEmpty();
  }

  @Test
  void kinds() {
    assertThat(PRED.isIntegral()).isFalse();
    assertThat(S32.isIntegral()).isTrue();
    assertThat(type("u4").isIntegral()).isTrue();
    assertThat(F32.isFloating()).isTrue();
    assertThat(C64.isFloating()).isFalse();
    assertThat(C64.isComplex()).isTrue();
    assertThat(C64.componentType()).isEqualTo(F32);
    assertThat(C128.componentType()).isEqualTo(F64);
    assertThat(S32.componentType()).isEqualTo(S32);
    assertThat(C128.bits()).isEqualTo(128);
    assertThat(C128.hasInfinity()).isTrue();
    assertThat(C128.hasNaN()).isTrue();
    assertThat(S64.hasInfinity()).isFalse();
    assertThat(S64.hasNaN()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "f32, 0, 80000000, 0",
    "f32, 80000001, 1, 2",
    "f32, 7f7fffff, 7f800000, 1",
    "f32, 7fc00000, ffc00001, 0",
    "bf16, 7fc0, 0, 9223372036854775807",
    "f64, fff0000000000000, 7ff0000000000000, 9223372036854775807",
    "f8e8m0fnu, 80, 7f, 1",
    "s32, 5, 5, 0",
    "s32, 5, 6, 9223372036854775807",
  })
  void distancesInUlps(String type, String left, String right, long distance) {
    long from = Long.parseUnsignedLong(left, 16);
    long to = Long.parseUnsignedLong(right, 16);
    assertThat(type(type).ulpsBetween(from, to)).isEqualTo(distance);
    assertThat(type(type).ulpsBetween(to, from)).isEqualTo(distance);
  }

  @Test
  void mismatchedCarriersAreRefused() {
    assertRefused("f32 has no integer carrier", () -> F32.wrap(1));
    assertRefused("c64 has no integer carrier", () -> C64.wrap(1));
    assertRefused("f16 has no integer carrier", F16::minLong);
    assertRefused("f16 has no integer carrier", F16::maxLong);
    assertRefused("s32 is not a floating-point type", () -> S32.round(1));
    assertRefused("pred is not a floating-point type", () -> PRED.encode(1));
    assertRefused("c64 is not a floating-point type", () -> C64.decode(1));
    assertRefused("c64 is not a floating-point type", C64::maxFinite);
    assertRefused("s32 is not a floating-point type", S32::mantissaBits);
  }
}
