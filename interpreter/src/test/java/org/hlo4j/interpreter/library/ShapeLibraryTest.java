package org.hlo4j.interpreter.library;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.ConvGradSize;
import org.hlo4j.builder.lib.ConvGradSize.Padding;
import org.hlo4j.builder.lib.ConvGradSize.SpatialDimensionOutputSizeAndPadding;
import org.hlo4j.builder.lib.DynamicShapes;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.Verifier;
import org.junit.jupiter.api.Test;

/** Sizes of gradients, and sizes known at run time, which are not evaluated yet. */
final class ShapeLibraryTest {
  private static SpatialDimensionOutputSizeAndPadding size(
      long input, long filter, long output, long dilation, long stride, Padding padding) {
    return ConvGradSize.convGradExtractAndVerifyDimension(
        input, filter, output, dilation, stride, padding);
  }

  private static SpatialDimensionOutputSizeAndPadding want(long output, long before, long after) {
    return new SpatialDimensionOutputSizeAndPadding(output, before, after);
  }

  @Test
  void convGradSize() {
    assertThat(size(5, 3, 3, 1, 1, Padding.VALID)).isEqualTo(want(3, 2, 2));
    assertThat(size(5, 3, 5, 1, 1, Padding.SAME)).isEqualTo(want(5, 1, 1));
    assertThat(size(6, 3, 2, 1, 2, Padding.VALID)).isEqualTo(want(3, 2, 3));
    assertThat(size(5, 2, 3, 1, 2, Padding.SAME)).isEqualTo(want(5, 1, 0));
    assertThat(size(7, 2, 5, 2, 1, Padding.VALID)).isEqualTo(want(5, 2, 2));
    assertThat(size(3, 1, 1, 1, 5, Padding.VALID)).isEqualTo(want(1, 0, 2));
  }

  @Test
  void convGradSizeRefused() {
    assertThat(assertThrows(HloException.class, () -> size(5, 3, 4, 1, 1, Padding.VALID)).summary())
        .isEqualTo(
            "convGrad: output size got 4, want 3: input size 5, filter size 3, dilation 1, stride"
                + " 1, padding VALID");
    for (long[] row : new long[][] {{-1, 3, 1, 1, 1}, {5, 3, 3, 1, 0}, {5, 3, 3, 0, 1}}) {
      assertThrows(
          HloException.class, () -> size(row[0], row[1], row[2], row[3], row[4], Padding.SAME));
    }
  }

  @Test
  void dynamicConditional() {
    XlaBuilder b = new XlaBuilder("conditional");
    XlaOp p = b.parameter(0, Shape.of(PRED), "p");
    XlaOp x = b.parameter(1, Shape.of(F32, 4), "x");
    XlaOp result =
        DynamicShapes.dynamicConditional(b, p, x, v -> v, x, v -> v.sliceInDim(0, 2, 1, 0));
    assertThat(result.shape().toString()).isEqualTo("f32[<=4]");
    Verifier.strict().verify(b.build(result));
  }

  @Test
  void dynamicConditionalOfBranches() {
    XlaBuilder b = new XlaBuilder("conditional");
    XlaOp i = b.parameter(0, Shape.of(S32), "i");
    XlaOp x = b.parameter(1, Shape.of(F32, 4, 3), "x");
    XlaOp result =
        DynamicShapes.dynamicConditional(
            b,
            i,
            List.of(
                v -> v.builder().tuple(v, v.builder().constant(1)),
                v -> v.builder().tuple(v.sliceInDim(0, 2, 1, 0), v.builder().constant(2)),
                v -> v.builder().tuple(v.neg(), v.builder().constant(3))),
            List.of(x, x, x));
    assertThat(result.shape().toString()).isEqualTo("(f32[<=4,3], s32[])");
    Verifier.strict().verify(b.build(result));
  }

  @Test
  void branchesOfOneShapeStayStatic() {
    XlaBuilder b = new XlaBuilder("conditional");
    XlaOp p = b.parameter(0, Shape.of(PRED), "p");
    XlaOp x = b.parameter(1, Shape.of(F32, 4), "x");
    assertThat(DynamicShapes.dynamicConditional(b, p, x, v -> v.neg(), x, v -> v.exp()).shape())
        .isEqualTo(Shape.of(F32, 4));
    HloException refusal =
        assertThrows(
            HloException.class,
            () -> DynamicShapes.dynamicConditional(b, p, x, v -> v.neg(), x, v -> v.reshape(2, 2)));
    assertThat(refusal.summary())
        .isEqualTo(
            "dynamicConditional: branches got f32[4] and f32[2,2], want them to differ in bounded"
                + " sizes only");
    refusal =
        assertThrows(
            HloException.class,
            () -> DynamicShapes.dynamicConditional(b, p, List.of(), List.of(x)));
    assertThat(refusal.summary())
        .isEqualTo(
            "dynamicConditional: got 0 branches and 1 operands, want one at least and as many");
  }

  @Test
  void setDimensionSizeWithRebound() {
    XlaBuilder b = new XlaBuilder("sizes");
    XlaOp x = b.parameter(0, Shape.of(F32, 4, 3), "x");
    XlaOp n = b.parameter(1, Shape.of(S32), "n");
    assertThat(DynamicShapes.setDimensionSizeWithRebound(x, n, 0).shape().toString())
        .isEqualTo("f32[<=4,3]");
    assertThat(
            DynamicShapes.setDimensionSizeWithRebound(x, n.min(b.constant(2)), 0)
                .shape()
                .toString())
        .isEqualTo("f32[<=2,3]");
    assertThat(DynamicShapes.setDimensionSizeWithRebound(x, b.constant(2), 0).shape().toString())
        .isEqualTo("f32[2,3]");
    assertThat(DynamicShapes.setDimensionSizeWithRebound(x, b.constant(4), 0).shape().toString())
        .isEqualTo("f32[4,3]");
    XlaOp sizes = b.parameter(2, Shape.of(S32, 2), "sizes");
    assertThat(DynamicShapes.setAllDimensionSizes(x, sizes).shape().toString())
        .isEqualTo("f32[<=4,<=3]");
    assertThat(
            DynamicShapes.setAllDimensionSizes(x, b.constant(new int[] {3, 2})).shape().toString())
        .isEqualTo("f32[3,2]");
    assertThat(
            assertThrows(
                    HloException.class,
                    () -> DynamicShapes.setDimensionSizeWithRebound(x, b.constant(-1), 0))
                .summary())
        .isEqualTo("setDimensionSizeWithRebound: size got at most -1, want 0");
    assertThat(
            assertThrows(
                    HloException.class, () -> DynamicShapes.setDimensionSizeWithRebound(x, n, 2))
                .summary())
        .isEqualTo("setDimensionSizeWithRebound: dimension got 2, want one of f32[4,3]");
    assertThat(
            assertThrows(HloException.class, () -> DynamicShapes.setAllDimensionSizes(x, n))
                .summary())
        .isEqualTo("setAllDimensionSizes: sizes got s32[], want s32[2]");
  }
}
