package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.s32;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import org.junit.jupiter.api.Test;

class DynamicUpdateSliceTest {
  @Test
  void updateOfAWholeDynamicDimensionMakesItDynamic() {
    shape("f32[<=5,3]", new DynamicUpdateSlice().infer(f32(5, 3), dynamic(0), s32(), s32()));
    shape("f32[6,3]", new DynamicUpdateSlice().infer(f32(6, 3), dynamic(0), s32(), s32()));
    shape("f32[5,<=3]", new DynamicUpdateSlice().infer(dynamic(1), f32(5, 3), s32(), s32()));
    shape("f32[?,3]", new DynamicUpdateSlice().infer(unbounded(), f32(5, 3), s32(), s32()));
  }
}
