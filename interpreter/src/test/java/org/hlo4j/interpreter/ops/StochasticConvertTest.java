package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

final class StochasticConvertTest {
  private static Literal convert(Literal operand, Literal random, ElementType to) {
    XlaBuilder b = new XlaBuilder("convert");
    b.parameter(0, operand.shape(), "x")
        .stochasticConvertType(b.parameter(1, random.shape(), "random"), to);
    return Evaluators.both().run(b.build(), operand, random);
  }

  /** A value, the chance drawn, from 0 to below 1, and the result. */
  private static void row(double value, double chance, ElementType to, double result) {
    Literal random = Literal.of(ElementType.U32, (long) (chance * 0x1p32));
    Literal got = convert(Literal.of(ElementType.F32, value), random, to);
    assertThat(got).isEqualTo(Literal.of(to, to.isFloating() ? (Object) result : (long) result));
  }

  @Test
  void toIntegers() {
    row(2.25, 0.2, ElementType.S32, 3);
    row(2.25, 0.25, ElementType.S32, 2);
    row(-2.25, 0.2, ElementType.S32, -3);
    row(-2.25, 0.3, ElementType.S32, -2);
    row(2, 0, ElementType.S8, 2);
    row(0.5, 0.4, ElementType.U8, 1);
    row(-0.5, 0.4, ElementType.U8, 0);
  }

  @Test
  void toIntegersSaturating() {
    row(127.5, 0.1, ElementType.S8, 127);
    row(1e9, 0.1, ElementType.S8, 127);
    row(-1e9, 0.1, ElementType.S8, -128);
    row(Double.NaN, 0.1, ElementType.S8, 0);
    row(Double.POSITIVE_INFINITY, 0.1, ElementType.S16, 32767);
    row(Double.NEGATIVE_INFINITY, 0.1, ElementType.S16, -32768);
  }

  @Test
  void toFloats() {
    row(1 + 0x1p-9, 0.2, ElementType.BF16, 1 + 0x1p-7);
    row(1 + 0x1p-9, 0.25, ElementType.BF16, 1);
    row(-1 - 0x1p-9, 0.2, ElementType.BF16, -1 - 0x1p-7);
    row(1 + 3 * 0x1p-9, 0.7, ElementType.BF16, 1 + 0x1p-7);
    row(1 + 3 * 0x1p-9, 0.8, ElementType.BF16, 1);
    row(1.5, 0, ElementType.F16, 1.5);
    row(-0.0, 0, ElementType.F16, -0.0);
    row(0x1p-25, 0.4, ElementType.F16, 0x1p-24);
    row(0x1p-25, 0.6, ElementType.F16, 0);
  }

  @Test
  void toFloatsOverflowing() {
    row(1e9, 0.5, ElementType.F16, Double.POSITIVE_INFINITY);
    row(65510, 0, ElementType.F16, 65504);
    row(1e9, 0.5, ElementType.F4E2M1FN, 6);
    row(5, 0.4, ElementType.F4E2M1FN, 6);
    row(5, 0.6, ElementType.F4E2M1FN, 4);
    row(Double.NaN, 0.5, ElementType.F16, Double.NaN);
    row(Double.NEGATIVE_INFINITY, 0.5, ElementType.F16, Double.NEGATIVE_INFINITY);
  }

  @Test
  void theMeanIsTheOperand() {
    int count = 1000;
    double[] values = new double[count];
    long[] random = new long[count];
    for (int i = 0; i < count; i++) {
      values[i] = 2.3;
      random[i] = Long.divideUnsigned(-1, count) * i;
    }
    Literal got = convert(Literal.of(values), Literal.of(ElementType.U64, random), ElementType.S32);
    long sum = 0;
    for (long value : got.toLongs()) {
      sum += value;
    }
    assertThat(sum).isEqualTo(2300);
  }

  @Test
  void nothing() {
    Literal none = Literal.of(new float[0][3]);
    Literal random = Literal.of(ElementType.U32, new int[0][3]);
    assertThat(convert(none, random, ElementType.F16).elementCount()).isEqualTo(0);
  }
}
