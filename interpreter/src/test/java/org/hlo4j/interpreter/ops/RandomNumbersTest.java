package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.hlo.op.RngBitGenerator.Algorithm.RNG_DEFAULT;
import static org.hlo4j.hlo.op.RngBitGenerator.Algorithm.RNG_PHILOX;
import static org.hlo4j.hlo.op.RngBitGenerator.Algorithm.RNG_THREE_FRY;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.Range;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.RngBitGenerator.Algorithm;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

/** Bits and states of rng-bit-generator are those that XLA:CPU of 2026 gives. */
final class RandomNumbersTest {
  private static final String SMALL = "1 2";
  private static final String LARGE = "18446744073709551615 18446744073709551614";

  private static long[] unsigned(String numbers) {
    return numbers.isEmpty()
        ? new long[0]
        : Arrays.stream(numbers.split(" ")).mapToLong(Long::parseUnsignedLong).toArray();
  }

  private static Literal generate(Algorithm algorithm, String state, Shape.Array shape) {
    XlaBuilder b = new XlaBuilder("bits");
    b.rngBitGenerator(algorithm, b.constant(ElementType.U64, unsigned(state)), shape);
    return Evaluators.both().run(b.build());
  }

  /** The bits, unsigned, and the state after. */
  private static void row(
      Algorithm algorithm, String state, Shape.Array shape, String bits, String newState) {
    Literal result = generate(algorithm, state, shape);
    assertThat(result.element(0).toLongs()).isEqualTo(unsigned(newState));
    assertThat(result.element(1).shape()).isEqualTo(shape);
    long[] got =
        IntStream.range(0, result.element(1).elementCount())
            .mapToLong(i -> result.element(1).bitsAt(i))
            .toArray();
    assertWithMessage("%s %s of %s", algorithm, shape, state).that(got).isEqualTo(unsigned(bits));
  }

  private static Shape.Array shape(ElementType type, long... sizes) {
    return Shape.of(type, sizes);
  }

  private static final ElementType U32 = ElementType.U32;

  @Test
  void threefry() {
    row(RNG_THREE_FRY, SMALL, shape(U32, 0), "", "1 2");
    row(RNG_THREE_FRY, SMALL, shape(U32), "43444564", "1 3");
    row(RNG_THREE_FRY, SMALL, shape(U32, 1), "43444564", "1 3");
    row(RNG_THREE_FRY, SMALL, shape(U32, 4), "43444564 2150618427 3979645651 3745730563", "1 4");
    row(
        RNG_THREE_FRY,
        SMALL,
        shape(U32, 5),
        "43444564 2150618427 3979645651 3745730563 1672743891",
        "1 5");
  }

  @Test
  void threefryPairsTheFirstEvenDimension() {
    row(
        RNG_THREE_FRY,
        SMALL,
        shape(U32, 2, 3),
        "43444564 3979645651 1672743891 2150618427 3745730563 4240503393",
        "1 5");
    row(
        RNG_THREE_FRY,
        SMALL,
        shape(U32, 3, 4),
        "43444564 2150618427 3979645651 3745730563 1672743891 4240503393 2109414752 618976052"
            + " 2534981805 3824176357 2868795927 3753859121",
        "1 8");
  }

  @Test
  void threefryPairsTheLargestOddDimension() {
    row(
        RNG_THREE_FRY,
        SMALL,
        shape(U32, 3, 3),
        "43444564 3979645651 1672743891 2150618427 3745730563 4240503393 2109414752 2534981805"
            + " 2868795927",
        "1 8");
  }

  @Test
  void threefryOfOtherWidths() {
    row(RNG_THREE_FRY, SMALL, shape(ElementType.U4, 5), "4 11 3 3 3", "1 5");
    row(RNG_THREE_FRY, SMALL, shape(ElementType.U8, 9), "84 59 211 3 211 97 96 52 173", "1 7");
    row(RNG_THREE_FRY, SMALL, shape(ElementType.U16, 5), "59732 54587 37587 20483 3027", "1 5");
    row(RNG_THREE_FRY, SMALL, shape(ElementType.BF16, 3), "59732 54587 37587", "1 4");
    row(RNG_THREE_FRY, SMALL, shape(ElementType.F32, 3), "43444564 2150618427 3979645651", "1 4");
    String wide = "9236835810183407956 16087790271692313299 18212823393184779219";
    row(RNG_THREE_FRY, SMALL, shape(ElementType.U64, 3), wide, "1 5");
    row(RNG_THREE_FRY, SMALL, shape(ElementType.F64, 3), wide, "1 5");
  }

  @Test
  void threefryCounterWraps() {
    row(
        RNG_THREE_FRY,
        LARGE,
        shape(ElementType.S32, 7),
        "3121185586 1682297169 481924860 3137350631 1094285764 1314454335 2682970465",
        "18446744073709551615 2");
    row(
        RNG_THREE_FRY,
        LARGE,
        shape(ElementType.U64, 3),
        "7225411326129570610 13474818356711888636 5645538382004713924",
        "18446744073709551615 1");
  }

  @Test
  void philox() {
    row(RNG_PHILOX, SMALL, shape(U32, 0), "", "1 2");
    row(RNG_PHILOX, SMALL, shape(U32), "2100602697", "1 3");
    row(RNG_PHILOX, SMALL, shape(U32, 4), "2100602697 2847456232 2074354647 800269529", "1 3");
    row(
        RNG_DEFAULT,
        SMALL,
        shape(U32, 3, 3),
        "2100602697 2847456232 2074354647 800269529 1828267006 3135207875 3972719319 2171987788"
            + " 433598563",
        "1 5");
    row(RNG_PHILOX, SMALL, shape(ElementType.U4, 5), "9 8 7 9 14", "1 4");
    row(RNG_PHILOX, SMALL, shape(ElementType.U8, 9), "73 232 215 217 254 195 215 76 99", "1 5");
    row(RNG_PHILOX, SMALL, shape(ElementType.F16, 3), "42825 48104 9175", "1 3");
    row(
        RNG_PHILOX,
        SMALL,
        shape(ElementType.U64, 3),
        "12229731395331991369 3437131457114678231 13465615291114923006",
        "1 4");
  }

  @Test
  void philoxOfThreeWords() {
    row(
        RNG_PHILOX,
        "1 2 3",
        shape(U32, 5),
        "4031113034 1366700262 495645701 3051723414 89414891",
        "1 4 3");
    row(
        RNG_PHILOX,
        "1 2 3",
        shape(ElementType.U64, 3),
        "5869932932755744586 13107052260063114245 8234580641674714347",
        "1 4 3");
  }

  @Test
  void philoxCounterCarries() {
    row(
        RNG_PHILOX,
        LARGE,
        shape(U32, 9),
        "25431128 3820715433 3113638199 2713815922 1083123565 1103641358 2718681030 1834242557"
            + " 1923381001",
        "18446744073709551615 1");
    row(
        RNG_PHILOX,
        LARGE + " 18446744073709551613",
        shape(ElementType.U8, 9),
        "113 97 233 105 225 139 199 175 100",
        "18446744073709551615 1 18446744073709551614");
    row(
        RNG_PHILOX,
        LARGE + " 18446744073709551613",
        shape(ElementType.U64, 3),
        "8533358538601206641 6171305231872639977 8091731080312728801",
        "18446744073709551615 0 18446744073709551614");
  }

  private static Literal uniform(ElementType type, Object a, Object b, long seed, long count) {
    XlaBuilder builder = new XlaBuilder("uniform");
    builder.rngUniform(builder.constant(type, a), builder.constant(type, b), Shape.of(type, count));
    return Evaluators.both(EvaluatorOptions.builder().seed(seed).build()).run(builder.build());
  }

  @Test
  void theSeedDecides() {
    Literal first = uniform(ElementType.F32, 0f, 1f, 7, 5);
    assertThat(uniform(ElementType.F32, 0f, 1f, 7, 5)).isEqualTo(first);
    assertThat(uniform(ElementType.F32, 0f, 1f, 8, 5)).isNotEqualTo(first);
  }

  @Test
  void instructionsOfOneRunDiffer() {
    XlaBuilder b = new XlaBuilder("two");
    XlaOp zero = b.constant(0.0);
    XlaOp one = b.constant(1.0);
    Shape.Array shape = Shape.of(ElementType.F64, 3);
    b.tuple(b.rngUniform(zero, one, shape), b.rngUniform(zero, one, shape));
    Literal both = Evaluators.both().run(b.build());
    assertThat(both.element(0)).isNotEqualTo(both.element(1));
  }

  @Test
  void uniformFloats() {
    double[] values = uniform(ElementType.F64, 2.0, 6.0, 0, 10_000).toDoubles();
    assertThat(Arrays.stream(values).min().getAsDouble()).isAtLeast(2.0);
    assertThat(Arrays.stream(values).max().getAsDouble()).isLessThan(6.0);
    assertThat(Arrays.stream(values).average().getAsDouble()).isWithin(0.05).of(4.0);
    double squares = Arrays.stream(values).map(v -> (v - 4) * (v - 4)).average().getAsDouble();
    assertThat(squares).isWithin(0.05).of(16.0 / 12);
  }

  @Test
  void uniformFloatsNeverRoundToTheEnd() {
    for (ElementType type : ElementType.values()) {
      if (type.isFloating()) {
        double[] values = uniform(type, 1f, 2f, 0, 2_000).toDoubles();
        assertWithMessage("%s", type).that(Arrays.stream(values).max().getAsDouble()).isLessThan(2);
        assertWithMessage("%s", type).that(Arrays.stream(values).min().getAsDouble()).isAtLeast(1);
      }
    }
    double[] toZero = uniform(ElementType.F8E5M2, -4f, 0f, 0, 2_000).toDoubles();
    assertThat(Arrays.stream(toZero).max().getAsDouble()).isLessThan(0);
    double[] toMinusOne = uniform(ElementType.F8E5M2, -4f, -1f, 0, 2_000).toDoubles();
    assertThat(Arrays.stream(toMinusOne).max().getAsDouble()).isLessThan(-1);
  }

  @Test
  void uniformIntegers() {
    long[] dice = uniform(ElementType.S8, 1, 7, 0, 6_000).toLongs();
    for (int face = 1; face <= 6; face++) {
      int wanted = face;
      long count = Arrays.stream(dice).filter(value -> value == wanted).count();
      assertWithMessage("face %s", face).that(count).isIn(Range.closed(850L, 1150L));
    }
    long[] wide = uniform(ElementType.S64, Long.MIN_VALUE, Long.MAX_VALUE, 0, 1_000).toLongs();
    assertThat(Arrays.stream(wide).filter(value -> value < 0).count())
        .isIn(Range.closed(400L, 600L));
    long[] half = uniform(ElementType.U64, 5, -1L, 0, 1_000).toLongs();
    assertThat(Arrays.stream(half).allMatch(value -> Long.compareUnsigned(value, 5) >= 0)).isTrue();
    assertThat(Arrays.stream(half).anyMatch(value -> value < 0)).isTrue();
    assertThat(uniform(ElementType.PRED, false, true, 0, 3).toBooleans()).isEqualTo(new boolean[3]);
    assertThat(uniform(ElementType.S32, 0, 1, 0, 0).toLongs()).isEmpty();
  }

  @Test
  void emptyIntervalsAreRefused() {
    HloException refusal =
        assertThrows(HloException.class, () -> uniform(ElementType.S32, 5, 5, 0, 2));
    assertThat(refusal.summary())
        .isEqualTo("rng: interval from 5 to 5, want a below b, and a finite distance");
    assertThrows(HloException.class, () -> uniform(ElementType.F32, 1f, Float.NaN, 0, 2));
    assertThrows(
        HloException.class, () -> uniform(ElementType.F32, 1f, Float.POSITIVE_INFINITY, 0, 2));
    assertThrows(HloException.class, () -> uniform(ElementType.U64, -1L, 5, 0, 2));
  }

  @Test
  void normal() {
    XlaBuilder b = new XlaBuilder("normal");
    b.rngNormal(b.constant(3.0), b.constant(2.0), Shape.of(ElementType.F64, 20_000));
    double[] values = Evaluators.both().run(b.build()).toDoubles();
    double mean = Arrays.stream(values).average().getAsDouble();
    assertThat(mean).isWithin(0.05).of(3);
    assertThat(Arrays.stream(values).map(v -> (v - 3) * (v - 3)).average().getAsDouble())
        .isWithin(0.15)
        .of(4);
    long withinOne = Arrays.stream(values).filter(v -> Math.abs(v - 3) < 2).count();
    assertThat(withinOne / 20_000.0).isWithin(0.01).of(0.6827);
  }

  @Test
  void stateIsThatBeforeTheAddition() {
    XlaBuilder b = new XlaBuilder("state");
    b.tuple(b.rngGetAndUpdateState(4), b.rngGetAndUpdateState(-8), b.rngGetAndUpdateState(0));
    Literal states = Evaluators.both().run(b.build());
    // XLA begins with the same number.
    assertThat(states.element(0).toLongs()).isEqualTo(new long[] {117515157, 0});
    assertThat(states.element(1).toLongs()).isEqualTo(new long[] {117515161, 0});
    assertThat(states.element(2).toLongs()).isEqualTo(new long[] {117515153, 0});
  }

  @Test
  void stateCarries() {
    XlaBuilder b = new XlaBuilder("state");
    b.tuple(
        b.rngGetAndUpdateState(-117515158), b.rngGetAndUpdateState(3), b.rngGetAndUpdateState(0));
    Literal states = Evaluators.both().run(b.build());
    assertThat(states.element(1).toLongs()).isEqualTo(new long[] {-1, -1});
    assertThat(states.element(2).toLongs()).isEqualTo(new long[] {2, 0});
  }
}
