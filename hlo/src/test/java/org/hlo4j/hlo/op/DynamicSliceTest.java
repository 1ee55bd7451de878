package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.s32;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

class DynamicSliceTest {
  @Test
  void resultIsStaticForDynamicOperands() {
    shape("f32[5,3]", new DynamicSlice(Dims.of(5, 3)).infer(dynamic(0), s32(), s32()));
    shape("f32[9,3]", new DynamicSlice(Dims.of(9, 3)).infer(unbounded(), s32(), s32()));
  }
}
