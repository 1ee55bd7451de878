package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.StableHlo;
import org.junit.jupiter.api.Test;

/**
 * Conversions between quantized types, drawn at random, beside the formulas of StableHLO's
 * specification in plain arithmetic: each step is computed in double and rounded to the expressed
 * type, which for narrower types is as exact as the step itself.
 */
final class QuantizedNumbersTest {
  private static final int COUNT = 6;

  /** A quantized type; scales and zero points are one, or one for each element. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Type(
      ElementType storage,
      ElementType expressed,
      long min,
      long max,
      double[] scales,
      long[] zeroPoints) {
    static Type draw(Random random, ElementType expressed) {
      List<ElementType> storages =
          List.of(
              ElementType.S2,
              ElementType.U2,
              ElementType.S4,
              ElementType.U4,
              ElementType.S8,
              ElementType.U8,
              ElementType.S16,
              ElementType.U16,
              ElementType.S32,
              ElementType.U32);
      ElementType storage = storages.get(random.nextInt(storages.size()));
      int cut = storage.bits() > 2 ? random.nextInt(2) : 0;
      long min = storage.minLong() + cut;
      long max = storage.maxLong() - cut;
      int count = random.nextBoolean() ? 1 : COUNT;
      return new Type(
          storage,
          expressed,
          min,
          max,
          random.doubles(count, 0.01, 8).toArray(),
          random.longs(count, min, max + 1).toArray());
    }

    @Override
    public String toString() {
      String parameters =
          IntStream.range(0, scales.length)
              .mapToObj(i -> scales[i] + ":" + zeroPoints[i])
              .toList()
              .toString();
      String name = storage.toString().replace('s', 'i');
      boolean isPerAxis = scales.length > 1;
      return "tensor<%sx!quant.uniform<%s<%s:%s>:%s%s, %s>>"
          .formatted(
              COUNT,
              name,
              min,
              max,
              expressed,
              isPerAxis ? ":0" : "",
              isPerAxis
                  ? parameters.replace('[', '{').replace(']', '}')
                  : parameters.substring(1, parameters.length() - 1));
    }

    private double scale(int i) {
      return expressed.round(scales[i % scales.length]);
    }

    private long zeroPoint(int i) {
      return zeroPoints[i % zeroPoints.length];
    }

    /** The difference has up to 33 bits, which a double holds. */
    double dequantize(long stored, int i) {
      return expressed.round(expressed.round((double) (stored - zeroPoint(i))) * scale(i));
    }

    long quantize(double number, int i) {
      double scaled = expressed.round(number / scale(i));
      double moved = expressed.round(scaled + expressed.round((double) zeroPoint(i)));
      double clamped =
          Math.clamp(moved, expressed.round((double) min), expressed.round((double) max));
      return Math.clamp((long) Math.rint(clamped), min, max);
    }

    Literal literal(long[] stored) {
      LiteralBuilder builder = new LiteralBuilder(Shape.of(storage, COUNT));
      for (int i = 0; i < COUNT; i++) {
        builder.setLong(i, stored[i]);
      }
      return builder.build();
    }
  }

  @Test
  void conversionsFollowTheFormulas() {
    Random random = new Random(56);
    List<ElementType> expressed =
        List.of(ElementType.F16, ElementType.BF16, ElementType.F32, ElementType.F64);
    for (int run = 0; run < 80; run++) {
      ElementType type = expressed.get(run % expressed.size());
      check(Type.draw(random, type), Type.draw(random, type), random);
    }
  }

  /** NaN becomes 0, or the end of the range that is nearest to it. */
  @Test
  void whatIsNoFiniteNumberIsWithinTheRange() {
    checkRange(ElementType.U4, ElementType.F64, 1, 15, 1);
    checkRange(ElementType.U8, ElementType.BF16, 2, 254, 2);
    checkRange(ElementType.S8, ElementType.F32, -100, -3, -3);
    checkRange(ElementType.S8, ElementType.F32, -128, 127, 0);
    checkRange(ElementType.S16, ElementType.F16, -5, 4, 0);
    checkRange(ElementType.S32, ElementType.F16, 70_000, 90_000, 70_000);
  }

  private static void checkRange(
      ElementType storage, ElementType expressed, long min, long max, long ofNaN) {
    Type type = new Type(storage, expressed, min, max, new double[] {0.5}, new long[] {min});
    String program =
        """
        func.func @main(%%a: tensor<6x%1$s>) -> %2$s {
          %%q = stablehlo.uniform_quantize %%a : (tensor<6x%1$s>) -> %2$s
          return %%q : %2$s
        }
        """
            .formatted(expressed, type);
    double infinity = Double.POSITIVE_INFINITY;
    LiteralBuilder numbers = new LiteralBuilder(Shape.of(expressed, COUNT));
    for (int i = 0; i < COUNT; i++) {
      numbers.setDouble(i, List.of(Double.NaN, infinity, -infinity).get(i % 3));
    }
    Literal given = numbers.build();
    HloModule module = StableHlo.toHlo(StableHlo.parse(program));
    for (Evaluator evaluator : List.of(Interpreter.reference(), Interpreter.compiled())) {
      assertWithMessage(program)
          .that(evaluator.run(module, given))
          .isEqualTo(type.literal(new long[] {ofNaN, max, min, ofNaN, max, min}));
    }
  }

  private static void check(Type from, Type to, Random random) {
    long[] stored = random.longs(COUNT, from.min, from.max + 1).toArray();
    stored[0] = from.min;
    stored[1] = from.max;
    stored[2] = from.zeroPoint(2);
    String plain = "tensor<" + COUNT + "x" + from.expressed + ">";
    String program =
        """
        func.func @main(%%a: %1$s) -> (%3$s, %2$s) {
          %%x = stablehlo.uniform_dequantize %%a : (%1$s) -> %3$s
          %%q = stablehlo.uniform_quantize %%a : (%1$s) -> %2$s
          return %%x, %%q : %3$s, %2$s
        }
        """
            .formatted(from, to, plain);
    double[] numbers =
        IntStream.range(0, COUNT).mapToDouble(i -> from.dequantize(stored[i], i)).toArray();
    long[] requantized =
        IntStream.range(0, COUNT).mapToLong(i -> to.quantize(numbers[i], i)).toArray();
    HloModule module = StableHlo.toHlo(StableHlo.parse(program));
    for (Evaluator evaluator : List.of(Interpreter.reference(), Interpreter.compiled())) {
      List<Literal> results = evaluator.run(module, from.literal(stored)).elements();
      assertWithMessage("%s%s", program, Arrays.toString(stored))
          .that(results.get(0).toDoubles())
          .isEqualTo(numbers);
      assertThat(results.get(1)).isEqualTo(to.literal(requantized));
    }
  }
}
