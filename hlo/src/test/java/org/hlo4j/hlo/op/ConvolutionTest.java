package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

class ConvolutionTest {
  private static final Convolution PLAIN = Convolution.of(Window.of(2));
  private static final Shape.Array LHS = Shape.of(F32, 4, 6, 5);
  private static final Shape.Array KERNEL = Shape.of(F32, 8, 6, 2);

  private static void refused(
      String label, String message, Convolution op, Shape lhs, Shape kernel) {
    HloException refusal = assertThrows(HloException.class, () -> op.infer(lhs, kernel));
    assertThat(refusal.label()).isEqualTo(label);
    assertThat(refusal.summary()).isEqualTo("convolution: " + message);
  }

  private static Convolution numbers(ConvolutionDimensionNumbers numbers) {
    return PLAIN.withDimensionNumbers(numbers);
  }

  @Test
  void invalidDimensionNumbersAreRefused() {
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
  void elementTypes() {
    assertThat(((Shape.Array) PLAIN.infer(LHS, KERNEL.withElementType(BF16))).elementType())
        .isEqualTo(F32);
    assertThat(PLAIN.withPreferredElementType(C64).infer(LHS, KERNEL))
        .isEqualTo(((Shape.Array) PLAIN.infer(LHS, KERNEL)).withElementType(C64));
  }
}
