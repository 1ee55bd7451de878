package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.shape;

import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

class ReverseTest {
  @Test
  void isOfTheShapeOfTheOperand() {
    shape("f32[5,3]", new Reverse(Dims.of(1)).infer(f32(5, 3)));
    shape("f32[]", new Reverse(Dims.of()).infer(f32()));
    shape("f32[<=5,3]", new Reverse(Dims.of(0, 1)).infer(dynamic(0)));
  }

  @Test
  void dimensionsAreDistinct() {
    refused(
        "reverse C2",
        "reverse: dimensions got (1, 1), want no dimension twice",
        () -> new Reverse(Dims.of(1, 1)).infer(f32(5, 3)));
  }

  @Test
  void dimensionsAreInRange() {
    refused(
        "reverse C3",
        "reverse: dimensions[1] got 2, want a dimension of operand f32[5,3]",
        () -> new Reverse(Dims.of(0, 2)).infer(f32(5, 3)));
  }

  @Test
  void dimensionsAreNotNegative() {
    refused(
        "reverse C3",
        "reverse: dimensions[0] got -1, want a dimension of operand f32[5,3]",
        () -> new Reverse(Dims.of(-1)).infer(f32(5, 3)));
  }
}
