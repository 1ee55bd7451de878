package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.s32;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

class GatherTest {
  @Test
  void dynamicIndexAndFullWindowDimensionsStayDynamic() {
    shape(
        "f32[4,3]",
        new Gather(
                Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(1, 3), false)
            .infer(dynamic(0), s32(4, 1)));
    shape(
        "f32[4,<=5,3]",
        new Gather(
                Dims.of(1, 2), Dims.of(), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(5, 3), false)
            .infer(dynamic(0), s32(4, 1)));
    shape(
        "f32[4,4,3]",
        new Gather(
                Dims.of(1, 2), Dims.of(), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(4, 3), false)
            .infer(dynamic(0), s32(4, 1)));
    shape(
        "f32[<=4,3]",
        new Gather(
                Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(1, 3), false)
            .infer(f32(5, 3), s32(4, 1).withDynamic(List.of(0))));
    shape(
        "f32[4,9,3]",
        new Gather(
                Dims.of(1, 2), Dims.of(), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(9, 3), false)
            .infer(unbounded(), s32(4, 1)));
  }

  @Test
  void presets() {
    shape("f32[4,2,3]", Gather.takeRows(f32(5, 3), s32(4, 2)).infer(f32(5, 3), s32(4, 2)));
    shape(
        "f32[5,4,2,7]",
        Gather.alongDimension(f32(5, 3, 7), s32(4, 2), 1).infer(f32(5, 3, 7), s32(4, 2)));
    shape("f32[5]", Gather.alongDimension(f32(5, 3), s32(), 1).infer(f32(5, 3), s32()));
    shape("f32[4]", Gather.points(f32(5, 3), s32(4, 2)).infer(f32(5, 3), s32(4, 2)));
  }
}
