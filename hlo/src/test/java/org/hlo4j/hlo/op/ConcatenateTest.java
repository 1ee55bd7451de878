package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.s32;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

class ConcatenateTest {
  @Test
  void addsSizesOfItsDimension() {
    shape("f32[9,3]", Concatenate.along(0).infer(f32(5, 3), f32(4, 3)));
    shape("f32[5,4]", Concatenate.along(1).infer(f32(5, 3), f32(5, 0), f32(5, 1)));
    shape("f32[5]", Concatenate.along(0).infer(f32(5)));
  }

  @Test
  void dynamicSizesAsInXla() {
    shape("f32[<=10,3]", Concatenate.along(0).infer(dynamic(0), f32(5, 3)));
    shape("f32[<=5,6]", Concatenate.along(1).infer(dynamic(0), f32(5, 3)));
    shape("f32[?,3]", Concatenate.along(0).infer(dynamic(0), unbounded()));
    shape("f32[?,3]", Concatenate.along(0).infer(f32(5, 3), unbounded()));
    shape("f32[<=5,6]", Concatenate.along(1).infer(unbounded(), dynamic(0)));
    shape("f32[5,6]", Concatenate.along(1).infer(unbounded(), f32(5, 3)));
    shape("f32[?,6]", Concatenate.along(1).infer(unbounded(), unbounded()));
  }

  @Test
  void typesMustAgree() {
    refused(
        "concatenate C1",
        "concatenate: element type of operand 1 got s32, want f32 as operand 0",
        () -> Concatenate.along(0).infer(f32(5, 3), s32(5, 3)));
  }

  @Test
  void ranksMustAgree() {
    refused(
        "concatenate C2",
        "concatenate: operand 1 got f32[5], want the rank of operand 0, f32[5,3]",
        () -> Concatenate.along(0).infer(f32(5, 3), f32(5)));
  }

  @Test
  void otherSizesMustAgree() {
    refused(
        "concatenate C2",
        "concatenate: size of dimension 1 of operand 2 got 4, want 3 as before: only dimension 0"
            + " may differ",
        () -> Concatenate.along(0).infer(f32(5, 3), f32(5, 3), f32(5, 4)));
  }

  @Test
  void thereMustBeAnOperand() {
    refused(
        "",
        "concatenate: operand count got 0, want at least 1",
        () -> Concatenate.along(0).infer());
  }

  @Test
  void dimensionMustBeInRange() {
    refused(
        "concatenate C4",
        "concatenate: dimensions got (2), want one dimension of f32[5,3]",
        () -> Concatenate.along(2).infer(f32(5, 3)));
  }

  @Test
  void dimensionIsNotNegative() {
    refused(
        "concatenate C4",
        "concatenate: dimensions got (-1), want one dimension of f32[5,3]",
        () -> Concatenate.along(-1).infer(f32(5, 3)));
  }

  @Test
  void thereIsJustOneDimension() {
    refused(
        "concatenate C4",
        "concatenate: dimensions got (0, 1), want one dimension of f32[5,3]",
        () -> new Concatenate(Dims.of(0, 1)).infer(f32(5, 3)));
  }

  @Test
  void sizesDoNotOverflow() {
    refused(
        "concatenate C6",
        "concatenate: size of dimension 0 of the result got beyond 2^63 - 1 at operand 1, want"
            + " less",
        () -> Concatenate.along(0).infer(Shape.of(F32, Long.MAX_VALUE), f32(1)));
  }
}
