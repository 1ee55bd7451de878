package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.s32;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

class DimensionSizesTest {
  @Test
  void sizeOfADimension() {
    shape("s32[]", new GetDimensionSize(Dims.of(0)).infer(f32(5, 3)));
    shape("s32[]", new GetDimensionSize(Dims.of(0)).infer(unbounded()));
  }

  @Test
  void broadcastAtRunTimeSizes() {
    Operands declared = new Operands(ImmutableList.of(dynamic(0)), ImmutableList.of());
    Operands actual = new Operands(ImmutableList.of(f32(2, 3)), ImmutableList.of());
    Broadcast broadcast = new Broadcast(f32(7, 5, 3), Dims.of(1, 2));
    assertThat(broadcast.atSizes(declared, actual).shape()).isEqualTo(f32(7, 2, 3));
  }

  @Test
  void setSizeIsDynamicOrStatic() {
    shape("f32[5,<=3]", SetDimensionSize.dynamic(f32(5, 3), 1).infer(f32(5, 3), s32()));
    shape("f32[<=5,<=3]", SetDimensionSize.dynamic(dynamic(0), 1).infer(dynamic(0), s32()));
    shape("f32[5,<=3]", SetDimensionSize.fixed(dynamic(0, 1), 0).infer(dynamic(0, 1), s32()));
    shape("f32[?,3]", SetDimensionSize.dynamic(unbounded(), 0).infer(unbounded(), s32()));
  }

  @Test
  void dynamicReshapeKeepsTheElementCount() {
    shape("f32[<=5,3]", new DynamicReshape(dynamic(0)).infer(f32(15), s32(), s32()));
    shape("f32[]", new DynamicReshape(f32()).infer(f32(1)));
  }

  @Test
  void setDimensionSizeKeepsOtherDimensions() {
    refused(
        "",
        "set-dimension-size: result got f32[5,<=3], want f32[<=5,3], or dimension 0 static",
        () -> new SetDimensionSize(dynamic(1), Dims.of(0)).infer(f32(5, 3), s32()));
  }

  @Test
  void reshapeKeepsTheType() {
    refused(
        "dynamic_reshape C1",
        "dynamic-reshape: element type of the result got f32, want s32 as the operand",
        () -> new DynamicReshape(f32(5)).infer(s32(5), s32()));
  }

  @Test
  void reshapeKeepsTheCount() {
    refused(
        "dynamic_reshape C2",
        "dynamic-reshape: element count got 15 for f32[<=5,3], want 14 as in f32[14]",
        () -> new DynamicReshape(dynamic(0)).infer(f32(14), s32(), s32()));
  }

  @Test
  void reshapeNeedsBounds() {
    refused(
        "dynamic_reshape C2",
        "dynamic-reshape: got f32[?,3] to f32[5], want bounds on all sizes",
        () -> new DynamicReshape(f32(5)).infer(unbounded(), s32()));
  }

  @Test
  void reshapeNeedsASizePerDimension() {
    refused(
        "dynamic_reshape C3",
        "dynamic-reshape: size count got 1, want one for each of the 2 dimensions of f32[<=5,3]",
        () -> new DynamicReshape(dynamic(0)).infer(f32(15), s32()));
  }
}
