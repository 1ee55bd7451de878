package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.hlo.ElementType.C128;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.F8E8M0FNU;
import static org.hlo4j.hlo.ElementType.S64;
import static org.hlo4j.hlo.ElementType.U64;
import static org.hlo4j.hlo.Refusals.assertRefused;

import com.google.common.primitives.UnsignedLong;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Numbers of all classes as elements of all types: floats are rounded once, integers are exact. */
final class LiteralNumbersTest {
  private static final BigDecimal HAIR = BigDecimal.ONE.scaleByPowerOfTen(-400);

  private static Stream<ElementType> of(ElementType.Kind... kinds) {
    return Arrays.stream(ElementType.values()).filter(type -> List.of(kinds).contains(type.kind()));
  }

  static Stream<ElementType> floats() {
    return of(ElementType.Kind.FLOAT);
  }

  static Stream<ElementType> integers() {
    return of(ElementType.Kind.SIGNED, ElementType.Kind.UNSIGNED);
  }

  /** 2^60 is where neighbours of f32 are 2^37 apart, of bf16 2^53, and of f64 2^8. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32  | 1152921573326323713      | 0x1.000002p60        # 2^60 + 2^36 + 1
          f32  | 1152921573326323712      | 0x1p60               # 2^60 + 2^36, a tie
          f32  | -1152921573326323713     | -0x1.000002p60
          bf16 | 1157425104234217473      | 0x1.02p60            # 2^60 + 2^52 + 1
          bf16 | 1157425104234217472      | 0x1p60
          f64  | 1152921504606847105      | 0x1.0000000000001p60 # 2^60 + 2^7 + 1
          f64  | 1152921504606847104      | 0x1p60
          f64  | 9223372036854775807      | 0x1p63
          f32  | 9223372036854775807      | 0x1p63
          f32  | -9223372036854775808     | -0x1p63
          f8e5m2 | 36029346774777857      | Infinity             # 2^55 + 1 overflows
          f8e8m0fnu | 1729382256910270465 | 0x1p61               # 1.5 * 2^60 + 1
          f8e8m0fnu | 1729382256910270463 | 0x1p60               # 1.5 * 2^60 - 1
          """)
  void longs(String type, long number, String row) {
    double wanted = Double.parseDouble(row.replaceAll(" *#.*", ""));
    ElementType to = ElementType.named(type).orElseThrow();
    assertThat(Literal.of(to, number).getDouble()).isEqualTo(wanted);
    assertThat(Literal.of(to, BigInteger.valueOf(number)).getDouble()).isEqualTo(wanted);
    assertThat(Literal.of(to, new long[] {number}).getDouble(0)).isEqualTo(wanted);
    assertThat(Literal.full(Shape.of(to, 1), number).getDouble(0)).isEqualTo(wanted);
    assertThat(Literal.of(Shape.of(to, 1), new long[] {number}).getDouble(0)).isEqualTo(wanted);
    assertThat(Literal.of(number).convertElementType(to).getDouble()).isEqualTo(wanted);
  }

  /** A double is short of the digits of these. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f16      | 2049.0000000000000000001                  | 2050
          f16      | 2049                                      | 2048
          f16      | 2048.9999999999999999999                  | 2048
          f16      | 65519.999999999999999999                  | 65504
          f16      | 65520                                     | Infinity
          bf16     | 1.00390625000000000000001                 | 1.0078125
          f32      | 1.000000059604644775390625000000000000001 | 1.00000011920928955078125
          f32      | 1.000000059604644775390625                | 1
          f32      | 7.0064923216240853546186479164495807e-46  | 1.401298464324817E-45
          f32      | 7.0064923216240853546186479164495806e-46  | 0
          f64      | 9007199254740993                          | 9007199254740992
          f64      | 9007199254740993.0000000000000001         | 9007199254740994
          f64      | 1e400                                     | Infinity
          f64      | -1e400                                    | -Infinity
          f64      | 1e-400                                    | 0
          f4e2m1fn | 4.99999999999999999999                    | 4
          f4e2m1fn | 5.00000000000000000001                    | 6
          f4e2m1fn | 1e1000000000                              | 6
          f8e4m3fn | 1e-1000000000                             | 0
          """)
  void decimals(String type, BigDecimal number, double wanted) {
    ElementType to = ElementType.named(type).orElseThrow();
    assertThat(Literal.of(to, number).getDouble()).isEqualTo(wanted);
    assertThat(Literal.of(to, new BigDecimal[] {number}).getDouble(0)).isEqualTo(wanted);
    assertThat(Literal.full(Shape.of(to), number).getDouble()).isEqualTo(wanted);
  }

  /**
   * Between two neighbours, what is a hair below the middle goes down, a hair above goes up, and
   * the middle goes to the one whose last bit is 0. All of the narrow types, some of the wide.
   */
  @ParameterizedTest
  @MethodSource("floats")
  void tiesAreRoundedOnce(ElementType type) {
    for (long bits : samples(type)) {
      BigDecimal low = new BigDecimal(type.decode(bits));
      BigDecimal high = new BigDecimal(type.decode(bits + 1));
      BigDecimal middle = low.add(high).divide(BigDecimal.TWO);
      String where = type + " from " + low + " to " + high;
      boolean isUp = type == F8E8M0FNU || bits % 2 == 1;
      assertWithMessage(where).that(bits(type, middle.subtract(HAIR))).isEqualTo(bits);
      assertWithMessage(where).that(bits(type, middle.add(HAIR))).isEqualTo(bits + 1);
      assertWithMessage(where).that(bits(type, middle)).isEqualTo(isUp ? bits + 1 : bits);
      if (type != F8E8M0FNU) {
        long sign = 1L << (type.bits() - 1);
        long down = bits(type, middle.subtract(HAIR).negate());
        boolean isZero = bits == 0 && type.name().contains("FNUZ");
        assertWithMessage(where).that(down).isEqualTo(isZero ? 0 : sign | bits);
        assertWithMessage(where)
            .that(bits(type, middle.add(HAIR).negate()))
            .isEqualTo(sign | (bits + 1));
      }
    }
  }

  private static long bits(ElementType type, BigDecimal number) {
    return Literal.of(type, number).bitsAt(0);
  }

  /** Returns bits of positive numbers that are followed by a greater one. */
  private static long[] samples(ElementType type) {
    long last = type.encode(type.maxFinite());
    if (type.bits() <= 8) {
      return LongStream.range(0, last).toArray();
    }
    long one = type.encode(1);
    return LongStream.concat(
            LongStream.of(0, 1, 2, one - 2, one - 1, one, one + 1, last - 2, last - 1),
            IntStream.range(1, 40).mapToLong(i -> last / 40 * i))
        .toArray();
  }

  /** Each class of numbers, from the least to the greatest integer of each type. */
  @ParameterizedTest
  @MethodSource("integers")
  void integersAreExact(ElementType type) {
    BigInteger least = BigInteger.valueOf(type.minLong());
    BigInteger most = new BigInteger(Long.toUnsignedString(type.maxLong()));
    for (BigInteger held : List.of(least, most, BigInteger.ZERO)) {
      long bits = held.longValue();
      assertThat(Literal.of(type, held).longAt(0)).isEqualTo(bits);
      assertThat(Literal.of(type, new BigDecimal(held)).longAt(0)).isEqualTo(bits);
      assertThat(Literal.of(type, new BigDecimal(held + ".000")).longAt(0)).isEqualTo(bits);
      assertThat(Literal.full(Shape.of(type, 2), held).longAt(1)).isEqualTo(bits);
      assertThat(Literal.of(type, new Number[] {held}).longAt(0)).isEqualTo(bits);
    }
    String range = ", want a value from " + least + " to " + most;
    for (Number beyond :
        List.of(
            least.subtract(BigInteger.ONE),
            most.add(BigInteger.ONE),
            new BigDecimal(most).add(BigDecimal.ONE),
            new BigDecimal("1e1000000000"),
            new BigDecimal("-1e1000000000"),
            1e30,
            -1e30f,
            Double.NEGATIVE_INFINITY)) {
      assertRefused(
          "literal: got " + beyond + " for " + type + range, () -> Literal.of(type, beyond));
    }
    for (Number fraction :
        List.of(
            new BigDecimal("0.00000000000000000001"),
            new BigDecimal("1e-1000000000"),
            0.5,
            -0.5f,
            Float.NaN)) {
      assertRefused(
          "literal: got " + fraction + " for " + type + ", want an integer",
          () -> Literal.of(type, fraction));
    }
  }

  @Test
  void classesOfOthersCountByTheirText() {
    UnsignedLong most = UnsignedLong.MAX_VALUE;
    assertThat(Literal.of(U64, most).longAt(0)).isEqualTo(-1);
    assertThat(Literal.of(F32, UnsignedLong.valueOf(1152921573326323713L)).getDouble())
        .isEqualTo(0x1.000002p60);
    assertThat(Literal.of(S64, new AtomicLong(Long.MIN_VALUE)).getLong()).isEqualTo(Long.MIN_VALUE);
    assertThat(Literal.of(F64, new AtomicInteger(-3)).getDouble()).isEqualTo(-3);
    assertRefused(
        "literal: got 18446744073709551615 for s64, want a value from -9223372036854775808 to"
            + " 9223372036854775807",
        () -> Literal.of(S64, most));
  }

  /** A number without a text of its own is what it gives as a double. */
  @Test
  void numbersThatAreNoDecimalsCountByTheirDouble() {
    assertThat(Literal.of(F64, new Ratio(1, 4)).getDouble()).isEqualTo(0.25);
    assertThat(Literal.of(S64, new Ratio(8, 4)).getLong()).isEqualTo(2);
    assertThat(Literal.of(F32, new Ratio(1, 0)).getDouble()).isPositiveInfinity();
    assertRefused(
        "literal: got 1/4 for s64, want an integer", () -> Literal.of(S64, new Ratio(1, 4)));
  }

  private static final class Ratio extends Number {
    private static final long serialVersionUID = 1;
    private final int above;
    private final int below;

    Ratio(int above, int below) {
      this.above = above;
      this.below = below;
    }

    @Override
    public int intValue() {
      return (int) doubleValue();
    }

    @Override
    public long longValue() {
      return (long) doubleValue();
    }

    @Override
    public float floatValue() {
      return (float) doubleValue();
    }

    @Override
    public double doubleValue() {
      return (double) above / below;
    }

    @Override
    public String toString() {
      return above + "/" + below;
    }
  }

  @Test
  void partsOfComplexNumbersAreRoundedOnce() {
    long number = 1152921573326323713L;
    assertThat(Literal.full(Shape.of(C64), number).realAt(0)).isEqualTo(0x1.000002p60);
    assertThat(Literal.of(C64, new long[] {0, number}).imaginaryAt(0)).isEqualTo(0x1.000002p60);
    assertThat(Literal.full(Shape.of(C128), new BigDecimal("9007199254740993.1")).realAt(0))
        .isEqualTo(9007199254740994.0);
  }

  @Test
  void whatIsNoNumberIsRefused() {
    assertRefused("literal: got true, want a number", () -> Literal.of(F32, true));
    assertRefused("literal: got true for s64, want an integer", () -> Literal.of(S64, true));
    assertRefused("literal: got 1 for pred, want a boolean", () -> Literal.of(ElementType.PRED, 1));
    assertRefused(
        "literal: got null for s64, want an integer",
        () -> Literal.of(S64, new Integer[] {1, Nulls.of(Integer.class)}));
    assertRefused(
        "literal: got null, want a number",
        () -> Literal.of(F32, new BigDecimal[] {Nulls.of(BigDecimal.class)}));
  }

  // Lists.

  @Test
  void listsAreArrays() {
    assertThat(Literal.of(List.of(1f, 2f))).isEqualTo(Literal.of(new float[] {1, 2}));
    assertThat(Literal.of(List.of(List.of(1, 2, 3), List.of(4, 5, 6))))
        .isEqualTo(Literal.of(new int[][] {{1, 2, 3}, {4, 5, 6}}));
    assertThat(Literal.of(List.of(new double[] {1, 2}, new double[] {3, 4})))
        .isEqualTo(Literal.of(new double[][] {{1, 2}, {3, 4}}));
    assertThat(Literal.of(List.of(true, false))).isEqualTo(Literal.of(new boolean[] {true, false}));
    Iterable<Long> iterable = () -> Stream.of(7L).iterator();
    assertThat(Literal.of(iterable)).isEqualTo(Literal.of(new long[] {7}));
    assertThat(Literal.of(F32, List.of(1, 2.5, 3L)))
        .isEqualTo(Literal.of(new float[] {1, 2.5f, 3}));
    assertThat(Literal.of(F32, List.of(List.of(), List.of())))
        .isEqualTo(Literal.zeros(Shape.of(F32, 2, 0)));
    assertThat(Literal.of(C64, List.of(List.of(1, 2))))
        .isEqualTo(Literal.of(C64, new int[][] {{1, 2}}));
    assertThat(Literal.of(Shape.of(F32, 2, 1), List.of(1, 2)))
        .isEqualTo(Literal.of(new float[][] {{1}, {2}}));
  }

  @Test
  void listsThatAreNoArrays() {
    assertRefused(
        "literal: ragged array, got 1 elements at depth 1 where the first has 2",
        () -> Literal.of(List.of(List.of(1, 2), List.of(3))));
    assertRefused(
        "literal: a value in a list is null, want a number or a list",
        () -> Literal.of(Arrays.asList(1f, null)));
    assertRefused(
        "literal: got elements of java.lang.Number, want boolean, byte, short, int, long, float or"
            + " double",
        () -> Literal.of(List.of(1, 2.5)));
    assertRefused(
        "literal: got elements of java.lang.Number, want boolean, byte, short, int, long, float or"
            + " double",
        () -> Literal.of(List.of()));
    assertRefused(
        "literal: got Integer and String in a list, want values of one type",
        () -> Literal.of(List.of(1, "2")));
    assertRefused(
        "literal: got Integer and int[] in a list, want values of one type",
        () -> Literal.of(List.of(1, List.of(2).stream().mapToInt(each -> each).toArray())));
    assertRefused(
        "literal: got elements of java.lang.String, want boolean, byte, short, int, long, float or"
            + " double",
        () -> Literal.of(List.of("2")));
    assertRefused(
        "literal: got lists more than 255 deep, want at most that",
        () -> Literal.of(Path.of("a"))); // which is a list of itself
    assertRefused(
        "literal: got 1 values, want 2 for f32[2]", () -> Literal.of(Shape.of(F32, 2), List.of(1)));
  }
}
