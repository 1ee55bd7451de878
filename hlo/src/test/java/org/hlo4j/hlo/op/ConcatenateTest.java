package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import org.junit.jupiter.api.Test;

class ConcatenateTest {
  @Test
  void dynamicSizesMatchXla() {
    shape("f32[<=10,3]", Concatenate.along(0).infer(dynamic(0), f32(5, 3)));
    shape("f32[<=5,6]", Concatenate.along(1).infer(dynamic(0), f32(5, 3)));
    shape("f32[?,3]", Concatenate.along(0).infer(dynamic(0), unbounded()));
    shape("f32[?,3]", Concatenate.along(0).infer(f32(5, 3), unbounded()));
    shape("f32[<=5,6]", Concatenate.along(1).infer(unbounded(), dynamic(0)));
    shape("f32[5,6]", Concatenate.along(1).infer(unbounded(), f32(5, 3)));
    shape("f32[?,6]", Concatenate.along(1).infer(unbounded(), unbounded()));
  }
}
