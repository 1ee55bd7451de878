package org.hlo4j.interpreter.ops;

import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S64;
import static org.hlo4j.hlo.ElementType.S8;
import static org.hlo4j.hlo.ElementType.U8;
import static org.hlo4j.testing.LiteralSubject.assertThat;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

class ConvolutionTest {
  private static final Literal FOUR_BY_FOUR =
      Literal.of(new long[][] {{1, 2, 5, 6}, {3, 4, 7, 8}, {10, 11, 14, 15}, {12, 13, 16, 17}})
          .withShape(Shape.of(S64, 1, 4, 4, 1));

  private static Literal run(Convolution convolution, Literal lhs, Literal kernel) {
    XlaBuilder b = new XlaBuilder("conv");
    b.parameter(0, lhs.shape(), "lhs")
        .convGeneralDilated(b.parameter(1, kernel.shape(), "kernel"), convolution);
    return Evaluators.both().run(b.build(), lhs, kernel);
  }

  private static Convolution op(String labels, String window) {
    return Convolution.of(Window.parse(window))
        .withDimensionNumbers(ConvolutionDimensionNumbers.fromLabels(labels));
  }

  private static Literal ones(long... sizes) {
    return Literal.full(Shape.of(S64, sizes), 1);
  }

  @Test
  void baseDilation() {
    Convolution op = op("b01f_01io->b01f", "size=3x3 stride=4x4 lhs_dilate=2x2");
    assertThat(run(op, FOUR_BY_FOUR, ones(3, 3, 1, 1)))
        .holds(new long[][][][] {{{{10}, {26}}, {{46}, {62}}}});
  }

  @Test
  void paddingAroundHoles() {
    Convolution op = op("b01f_01io->b01f", "size=3x3 stride=4x4 pad=1_1x1_1 lhs_dilate=2x2");
    assertThat(run(op, FOUR_BY_FOUR, ones(3, 3, 1, 1)))
        .holds(new long[][][][] {{{{1}, {5}}, {{10}, {14}}}});
  }

  @Test
  void batchGroups() {
    Convolution op =
        op("0b1f_01io->b01f", "size=1x2 stride=4x4 lhs_dilate=2x2").withBatchGroupCount(4);
    assertThat(run(op, FOUR_BY_FOUR, ones(1, 2, 1, 4)))
        .holds(new long[][][][] {{{{1, 3, 10, 12}, {5, 7, 14, 16}}}});
  }

  @Test
  void featureGroups() {
    Convolution op =
        op("b0f1_0i1o->b01f", "size=1x1 stride=4x4 lhs_dilate=2x2").withFeatureGroupCount(2);
    assertThat(run(op, FOUR_BY_FOUR, ones(1, 2, 1, 4)))
        .holds(new long[][][][] {{{{3, 3, 11, 11}}, {{21, 21, 29, 29}}}});
  }

  /** One row of features over a kernel of one row, everything else of size 1. */
  private static void row(Object want, String window, Object lhs, Object kernel) {
    Literal base = Literal.of(lhs);
    Literal laidOn = Literal.of(kernel);
    Literal result =
        run(
            op("b0f_0io->b0f", window),
            base.withShape(Shape.of(base.elementType(), 1, base.elementCount(), 1)),
            laidOn.withShape(Shape.of(laidOn.elementType(), laidOn.elementCount(), 1, 1)));
    int places = result.elementCount();
    assertThat(result.withShape(Shape.of(result.elementType(), places))).holds(want);
  }

  @Test
  void windows() {
    int[] x = {1, 2, 3, 4, 5};
    row(new int[] {12, 23, 34, 45}, "size=2", x, new int[] {10, 1});
    row(new int[] {21, 32, 43, 54}, "size=2 rhs_reversal=1", x, new int[] {10, 1});
    row(new int[] {12, 34}, "size=2 stride=2", x, new int[] {10, 1});
    row(new int[] {1, 23, 45}, "size=2 stride=2 pad=1_0", x, new int[] {10, 1});
    row(new int[] {23, 34}, "size=2 pad=-1_-1", x, new int[] {10, 1});
    row(new int[] {13, 24, 35}, "size=2 rhs_dilate=2", x, new int[] {10, 1});
    row(new int[] {31, 42, 53}, "size=2 rhs_dilate=2 rhs_reversal=1", x, new int[] {10, 1});
    row(new int[] {10, 2, 20, 3, 30, 4, 40, 5}, "size=2 lhs_dilate=2", x, new int[] {10, 1});
    row(new int[] {}, "size=6", x, new int[] {1, 2, 3, 4, 5, 6});
    row(new int[] {}, "size=2 pad=-3_-3", x, new int[] {10, 1});
    row(new int[] {0, 0}, "size=1 pad=2_0", new int[] {}, new int[] {7});
    row(new int[] {0, 0, 1}, "size=1 pad=2_-4", x, new int[] {1});
  }

  @Test
  void hugePaddingAndStridesCostNothing() {
    row(
        new int[] {0, 1, 0},
        "size=1 stride=1099511627776 pad=1099511627776_1099511627776",
        new int[] {1},
        new int[] {1});
  }

  @Test
  void noSpatialDimensionsIsAMatrixProduct() {
    assertThat(
            run(
                op("bf_io->bf", ""),
                Literal.of(new float[][] {{1, 2}, {3, 4}}),
                Literal.of(new float[][] {{1, 10}, {100, 1000}})))
        .holds(new float[][] {{201, 2010}, {403, 4030}});
  }

  @Test
  void everyDimensionSwapped() {
    Literal lhs = Literal.of(new int[][][] {{{1, 2}}, {{3, 4}}, {{5, 6}}});
    Literal kernel = Literal.of(new int[][][] {{{1, 10}}, {{100, 1000}}});
    assertThat(run(op("0bf_oi0->f0b", "size=1"), lhs, Literal.of(new int[][][] {{{1}, {10}}})))
        .holds(new int[][][] {{{21}, {43}, {65}}});
    assertThat(run(op("0fb_oi0->f0b", "size=2"), lhs, kernel))
        .holds(new int[][][] {{{31, 42}, {53, 64}}, {{3100, 4200}, {5300, 6400}}});
  }

  @Test
  void zeroSizes() {
    assertThat(
            run(
                op("b0f_0io->b0f", "size=1 pad=1099511627776_0"),
                Literal.zeros(Shape.of(F32, 0, 2, 3)),
                Literal.zeros(Shape.of(F32, 1, 3, 4))))
        .hasShape(Shape.of(F32, 0, 1099511627778L, 4));
    assertThat(
            run(
                op("b0f_0io->b0f", "size=1"),
                Literal.zeros(Shape.of(F32, 1, 2, 0)),
                Literal.zeros(Shape.of(F32, 1, 0, 2))))
        .holds(new float[][][] {{{0, 0}, {0, 0}}});
  }

  private static Literal typed(ElementType type, Object lhs, Object kernel, ElementType preferred) {
    Literal base = Literal.of(type, lhs);
    Literal laidOn = Literal.of(type, kernel);
    long count = base.arrayShape().size(0);
    Literal result =
        run(
            op("b0f_0io->b0f", "size=" + count).withPreferredElementType(preferred),
            base.withShape(Shape.of(type, 1, count, 1)),
            laidOn.withShape(Shape.of(type, count, 1, 1)));
    return result.withShape(Shape.of(preferred));
  }

  @Test
  void integersWrapInTheResult() {
    assertThat(typed(S8, new int[] {100, 100}, new int[] {2, 1}, S8)).holds((byte) 44);
    assertThat(typed(S8, new int[] {100, 100}, new int[] {2, 1}, S32)).holds(300);
    assertThat(typed(U8, new int[] {255, 1}, new int[] {255, 1}, U8)).holds(2);
    assertThat(typed(S64, new long[] {Long.MAX_VALUE}, new long[] {2}, S64)).holds(-2L);
    assertThat(typed(PRED, new boolean[] {true, true}, new boolean[] {true, true}, PRED))
        .holds(true);
  }

  @Test
  void floatsRoundOnce() {
    float[] terms = {1 << 24, 1, -(1 << 24)};
    float[] ones = {1, 1, 1};
    assertThat(typed(F32, terms, ones, F32)).holds(1f);
    assertThat(typed(BF16, new float[] {256, 1, 1}, ones, BF16)).holds(258f);
    assertThat(typed(F16, new float[] {300}, new float[] {300}, F32)).holds(90000f);
    assertThat(typed(F16, new float[] {300}, new float[] {300}, F16))
        .holds(Float.POSITIVE_INFINITY);
    assertThat(typed(F64, new double[] {0.1}, new double[] {3}, F64)).holds(0.1 * 3);
    assertThat(typed(F32, new float[] {Float.NaN}, new float[] {0}, F32)).holds(Float.NaN);
  }

  @Test
  void complexNumbers() {
    Literal i = Literal.complex(C64, 2, 1).withShape(Shape.of(C64, 1, 1, 1));
    assertThat(run(op("b0f_0io->b0f", "size=1"), i, i).withShape(Shape.of(C64)))
        .isEqualTo(Literal.complex(C64, 3, 4));
  }

  @Test
  void depthwise() {
    Literal lhs = Literal.of(new int[][][] {{{1, 2, 3}, {10, 20, 30}}});
    Literal kernel = Literal.of(new int[][][] {{{1, 2}}, {{3, 4}}});
    Convolution op = Convolution.of(Window.of(2)).withFeatureGroupCount(2);
    assertThat(run(op, lhs, kernel)).holds(new int[][][] {{{5, 8}, {110, 180}}});
    assertThat(
            run(
                Convolution.of(Window.of(2).withSamePadding(Dims.of(3))).withFeatureGroupCount(2),
                lhs,
                kernel))
        .holds(new int[][][] {{{5, 8, 3}, {110, 180, 90}}});
  }
}
