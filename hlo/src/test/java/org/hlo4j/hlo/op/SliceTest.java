package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

class SliceTest {
  @Test
  void dynamicDimensionsStayDynamicUnlessOfSizeOne() {
    shape("f32[<=3,1]", Slice.of(Dims.of(0, 0), Dims.of(3, 1), Dims.of(1, 1)).infer(dynamic(0, 1)));
    shape("f32[9,3]", Slice.of(Dims.of(0, 0), Dims.of(9, 3), Dims.of(1, 1)).infer(unbounded()));
  }

  @Test
  void limitCountMustMatchStarts() {
    refused(
        "slice C2",
        "slice: limit_indices got (5), want as many values as start_indices, 2",
        () -> Slice.of(Dims.of(0, 0), Dims.of(5), Dims.of(1, 1)));
  }

  @Test
  void strideCountMustMatchStarts() {
    refused(
        "slice C2",
        "slice: strides got (1), want as many values as start_indices, 2",
        () -> Slice.of(Dims.of(0, 0), Dims.of(5, 3), Dims.of(1)));
  }
}
