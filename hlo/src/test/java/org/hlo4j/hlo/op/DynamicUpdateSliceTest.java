package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.s32;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

class DynamicUpdateSliceTest {
  @Test
  void isOfTheShapeOfTheOperand() {
    shape("f32[5,3]", new DynamicUpdateSlice().infer(f32(5, 3), f32(2, 3), s32(), s32()));
    shape("f32[]", new DynamicUpdateSlice().infer(f32(), f32()));
    shape("f32[5]", new DynamicUpdateSlice().infer(f32(5), f32(0), s32()));
    shape("f32[5,3]", new DynamicUpdateSlice().infer(f32(5, 3), f32(2, 3), s32(2)));
  }

  @Test
  void updateOfAWholeDynamicDimensionMakesItDynamic() {
    shape("f32[<=5,3]", new DynamicUpdateSlice().infer(f32(5, 3), dynamic(0), s32(), s32()));
    shape("f32[6,3]", new DynamicUpdateSlice().infer(f32(6, 3), dynamic(0), s32(), s32()));
    shape("f32[5,<=3]", new DynamicUpdateSlice().infer(dynamic(1), f32(5, 3), s32(), s32()));
    shape("f32[?,3]", new DynamicUpdateSlice().infer(unbounded(), f32(5, 3), s32(), s32()));
  }

  @Test
  void updateMustBeOfTheSameType() {
    refused(
        "dynamic_update_slice C2",
        "dynamic-update-slice: element type of the update got s32, want f32 as the operand",
        () -> new DynamicUpdateSlice().infer(f32(5, 3), s32(2, 3), s32(), s32()));
  }

  @Test
  void updateMustBeOfTheSameRank() {
    refused(
        "dynamic_update_slice C3",
        "dynamic-update-slice: update got f32[2], want the rank of operand f32[5,3], 2",
        () -> new DynamicUpdateSlice().infer(f32(5, 3), f32(2), s32(), s32()));
  }

  @Test
  void startsMustBeAsManyAsDimensions() {
    refused(
        "dynamic_update_slice C4",
        "dynamic-update-slice: start index count got 1, want one for each of the 2 dimensions of"
            + " f32[5,3]",
        () -> new DynamicUpdateSlice().infer(f32(5, 3), f32(2, 3), s32()));
  }

  @Test
  void startsMustBeOfOneType() {
    refused(
        "dynamic_update_slice C5",
        "dynamic-update-slice: start index 1 got u8[], want s32[] as start index 0",
        () ->
            new DynamicUpdateSlice().infer(f32(5, 3), f32(2, 3), s32(), Shape.of(ElementType.U8)));
  }

  @Test
  void updateMustFitIn() {
    refused(
        "dynamic_update_slice C6",
        "dynamic-update-slice: size of dimension 1 of the update got 4, want at most 3 as in"
            + " operand f32[5,3]",
        () -> new DynamicUpdateSlice().infer(f32(5, 3), f32(2, 4), s32(), s32()));
  }
}
