package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S8;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

class ConvolutionTest {
  private static final Convolution PLAIN = Convolution.of(Window.of(2));
  private static final Shape.Array LHS = Shape.of(F32, 4, 6, 5);
  private static final Shape.Array KERNEL = Shape.of(F32, 8, 6, 2);

  private static void shape(Shape want, Convolution op, Shape lhs, Shape kernel) {
    assertThat(op.infer(lhs, kernel)).isEqualTo(want);
  }

  private static void refused(
      String label, String message, Convolution op, Shape lhs, Shape kernel) {
    HloException refusal = assertThrows(HloException.class, () -> op.infer(lhs, kernel));
    assertThat(refusal.label()).isEqualTo(label);
    assertThat(refusal.summary()).isEqualTo("convolution: " + message);
  }

  private static Convolution labels(String labels, long... sizes) {
    return Convolution.of(Window.of(sizes))
        .withDimensionNumbers(ConvolutionDimensionNumbers.fromLabels(labels));
  }

  @Test
  void shapes() {
    shape(Shape.of(F32, 4, 8, 4), PLAIN, LHS, KERNEL);
    shape(
        Shape.of(F32, 1, 3, 8, 4),
        new Convolution(
            Window.parse("size=3x3 stride=2x1 pad=0_1x1_3 rhs_dilate=2x2 rhs_reversal=0x1"),
            ConvolutionDimensionNumbers.fromLabels("b01f_01io->b01f"),
            2,
            1,
            PLAIN.operandPrecision(),
            PLAIN.preferredElementType()),
        Shape.of(F32, 1, 8, 8, 4),
        Shape.of(F32, 3, 3, 2, 4));
    shape(
        Shape.of(F32, 5, 2, 7, 3),
        labels("01bf_io10->1f0b", 2, 1),
        Shape.of(F32, 8, 5, 3, 4),
        Shape.of(F32, 4, 2, 1, 2));
    shape(Shape.of(F32, 2, 8), labels("bf_io->bf"), Shape.of(F32, 2, 4), Shape.of(F32, 4, 8));
    shape(Shape.of(F32, 2, 8, 4), PLAIN.withBatchGroupCount(2), LHS, KERNEL);
    shape(Shape.of(F32, 4, 8, 4), PLAIN.withFeatureGroupCount(2), LHS, Shape.of(F32, 8, 3, 2));
    shape(
        Shape.of(S32, 4, 8, 4),
        PLAIN.withPreferredElementType(S32),
        LHS.withElementType(S8),
        KERNEL.withElementType(S8));
    shape(Shape.of(F32, 0, 8, 4), PLAIN, Shape.of(F32, 0, 6, 5), KERNEL);
    shape(Shape.of(F32, 4, 8, 0), PLAIN, Shape.of(F32, 4, 6, 1), KERNEL);
    shape(
        Shape.of(F32, 4, 8, 4).withDynamic(List.of(0, 2)),
        PLAIN,
        LHS.withDynamic(List.of(0, 2)),
        KERNEL);
  }

  @Test
  void ranks() {
    refused(
        "convolution C1",
        "ranks got 3 of lhs f32[4,6,5] and 2 of kernel f32[8,6], want the same",
        PLAIN,
        LHS,
        Shape.of(F32, 8, 6));
    refused(
        "convolution C12",
        "input spatial dimensions got 1 of bf0_oi0->bf0, want 2: rank 4 less batch and feature",
        PLAIN,
        Shape.of(F32, 4, 6, 5, 5),
        Shape.of(F32, 8, 6, 2, 2));
    refused(
        "convolution C2",
        "window got 2 dimensions, want 1, as many as f32[5]: {size=2x2}",
        Convolution.of(Window.of(2, 2))
            .withDimensionNumbers(ConvolutionDimensionNumbers.defaults(1)),
        LHS,
        KERNEL);
  }

  private static Convolution numbers(ConvolutionDimensionNumbers numbers) {
    return PLAIN.withDimensionNumbers(numbers);
  }

  @Test
  void dimensionNumbers() {
    Dims two = Dims.of(2);
    Dims none = Dims.of();
    refused(
        "convolution C13",
        "input dimensions got (0, 0, 2), want each from 0 to 2 once",
        numbers(new ConvolutionDimensionNumbers(0, 0, two, 1, 0, two, 0, 1, two)),
        LHS,
        KERNEL);
    refused(
        "convolution C17",
        "kernel spatial dimensions got 0 of bf0_oi->bf0, want 1: rank 3 less batch and feature",
        numbers(new ConvolutionDimensionNumbers(0, 1, two, 1, 0, none, 0, 1, two)),
        LHS,
        KERNEL);
    refused(
        "convolution C18",
        "kernel dimensions got (0, 3, 2), want each from 0 to 2 once",
        numbers(new ConvolutionDimensionNumbers(0, 1, two, 3, 0, two, 0, 1, two)),
        LHS,
        KERNEL);
    refused(
        "convolution C19",
        "output spatial dimensions got 0 of bf0_oi0->bf, want 1: rank 3 less batch and feature",
        numbers(new ConvolutionDimensionNumbers(0, 1, two, 1, 0, two, 0, 1, none)),
        LHS,
        KERNEL);
    refused(
        "convolution C20",
        "output dimensions got (-1, 1, 2), want each from 0 to 2 once",
        numbers(new ConvolutionDimensionNumbers(0, 1, two, 1, 0, two, -1, 1, two)),
        LHS,
        KERNEL);
  }

  @Test
  void windows() {
    refused(
        "",
        "window size of dimension 0 got 3, want 2, that of spatial dimension 0 of the kernel",
        Convolution.of(Window.of(3)),
        LHS,
        KERNEL);
    refused(
        "",
        "window size of dimension 0 got 0, want at least 1",
        Convolution.of(Window.of(0)),
        LHS,
        Shape.of(F32, 8, 6, 0));
    refused(
        "convolution C3",
        "window stride of dimension 0 got 0, want at least 1",
        Convolution.of(Window.of(2).withStrides(0)),
        LHS,
        KERNEL);
    refused(
        "convolution C6",
        "window base dilation of dimension 0 got -1, want at least 1",
        Convolution.of(Window.of(2).withBaseDilation(-1)),
        LHS,
        KERNEL);
    refused(
        "convolution C8",
        "window dilation of dimension 0 got 0, want at least 1",
        Convolution.of(Window.of(2).withWindowDilation(0)),
        LHS,
        KERNEL);
  }

  @Test
  void groups() {
    refused(
        "convolution C21",
        "feature_group_count got 0, want at least 1",
        PLAIN.withFeatureGroupCount(0),
        LHS,
        KERNEL);
    refused(
        "convolution C22",
        "batch_group_count got -1, want at least 1",
        PLAIN.withBatchGroupCount(-1),
        LHS,
        KERNEL);
    refused(
        "convolution C23",
        "feature_group_count got 2 and batch_group_count 2, want one of them 1",
        PLAIN.withBatchGroupCount(2).withFeatureGroupCount(2),
        LHS,
        KERNEL);
    refused(
        "convolution C10",
        "batch dimension 0 of f32[4,6,5] got size 4, want a multiple of the group count 8",
        PLAIN.withBatchGroupCount(8),
        LHS,
        KERNEL);
    refused(
        "convolution C11",
        "feature dimension 1 of f32[4,6,5] got size 6, want a multiple of the group count 4",
        PLAIN.withFeatureGroupCount(4),
        LHS,
        KERNEL);
    refused(
        "convolution C15",
        "output feature dimension 0 of f32[7,6,2] got size 7, want a multiple of the group count"
            + " 2",
        PLAIN.withBatchGroupCount(2),
        LHS,
        Shape.of(F32, 7, 6, 2));
    refused(
        "convolution C16",
        "output feature dimension 0 of f32[8,2,2] got size 8, want a multiple of the group count"
            + " 3",
        PLAIN.withFeatureGroupCount(3),
        LHS,
        Shape.of(F32, 8, 2, 2));
    refused(
        "convolution C14",
        "input feature dimension 1 of kernel f32[8,5,2] got size 5, want 3: that of feature"
            + " dimension 1 of lhs f32[4,6,5] over feature_group_count 2",
        PLAIN.withFeatureGroupCount(2),
        LHS,
        Shape.of(F32, 8, 5, 2));
  }

  @Test
  void elementTypes() {
    assertThat(((Shape.Array) PLAIN.infer(LHS, KERNEL.withElementType(BF16))).elementType())
        .isEqualTo(F32);
    assertThat(PLAIN.withPreferredElementType(C64).infer(LHS, KERNEL))
        .isEqualTo(((Shape.Array) PLAIN.infer(LHS, KERNEL)).withElementType(C64));
  }

  @Test
  void otherRefusals() {
    refused("", "lhs got token[], want an array", PLAIN, Shape.token(), KERNEL);
  }

  @Test
  void sizesThatOverflowAreRefused() {
    Convolution wide =
        Convolution.of(Window.of(2).withPadding(Dims.of(Long.MAX_VALUE), Dims.of(1)));
    refused(
        "",
        "window of dimension 0 on a base of 5 got beyond 2^63 - 1, want less: {size=2"
            + " pad=9223372036854775807_1}",
        wide,
        LHS,
        KERNEL);
  }
}
