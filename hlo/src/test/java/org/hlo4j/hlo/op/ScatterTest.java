package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.infer;
import static org.hlo4j.hlo.op.ShapeRules.s32;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

class ScatterTest {
  @Test
  void dynamicInputsStayDynamic() {
    shape(
        "f32[<=5,3]",
        infer(
            new Scatter(Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
            dynamic(0),
            s32(4, 1),
            f32(4, 3)));
    shape(
        "f32[?,3]",
        infer(
            new Scatter(Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
            unbounded(),
            s32(4, 1),
            f32(4, 3)));
    shape(
        "f32[5,3]",
        infer(
            new Scatter(Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
            f32(5, 3),
            s32(4, 1),
            f32(4, 3).withDynamic(List.of(0))));
  }

  @Test
  void presets() {
    shape(
        "f32[5,3]", infer(Scatter.rows(f32(5, 3), s32(4, 2)), f32(5, 3), s32(4, 2), f32(4, 2, 3)));
    shape(
        "f32[5,3]",
        infer(Scatter.alongDimension(f32(5, 3), s32(4), 1), f32(5, 3), s32(4), f32(5, 4)));
    shape("f32[5,3]", infer(Scatter.points(f32(5, 3), s32(4, 2)), f32(5, 3), s32(4, 2), f32(4)));
  }
}
