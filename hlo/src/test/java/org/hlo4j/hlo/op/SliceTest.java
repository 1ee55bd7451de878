package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

class SliceTest {
  @Test
  void takesEveryStrideFromStartToBeforeLimit() {
    shape("f32[3,2]", Slice.of(Dims.of(0, 1), Dims.of(5, 3), Dims.of(2, 1)).infer(f32(5, 3)));
    shape("f32[2]", Slice.of(Dims.of(1), Dims.of(5), Dims.of(3)).infer(f32(5)));
    shape("f32[1]", Slice.of(Dims.of(0), Dims.of(5), Dims.of(Long.MAX_VALUE)).infer(f32(5)));
    shape("f32[0]", Slice.of(Dims.of(5), Dims.of(5), Dims.of(1)).infer(f32(5)));
    shape("f32[]", Slice.of(Dims.of(), Dims.of(), Dims.of()).infer(f32()));
  }

  @Test
  void dynamicDimensionStaysSoButOfSizeOne() {
    shape("f32[<=3,1]", Slice.of(Dims.of(0, 0), Dims.of(3, 1), Dims.of(1, 1)).infer(dynamic(0, 1)));
    shape("f32[9,3]", Slice.of(Dims.of(0, 0), Dims.of(9, 3), Dims.of(1, 1)).infer(unbounded()));
  }

  @Test
  void startsMustBeAsManyAsDimensions() {
    refused(
        "slice C2",
        "slice: start_indices got (0), want one for each of the 2 dimensions of f32[5,3]",
        () -> Slice.of(Dims.of(0), Dims.of(5), Dims.of(1)).infer(f32(5, 3)));
  }

  @Test
  void limitsMustBeAsManyAsStarts() {
    refused(
        "slice C2",
        "slice: limit_indices got (5), want as many values as start_indices, 2",
        () -> Slice.of(Dims.of(0, 0), Dims.of(5), Dims.of(1, 1)));
  }

  @Test
  void stridesMustBeAsManyAsStarts() {
    refused(
        "slice C2",
        "slice: strides got (1), want as many values as start_indices, 2",
        () -> Slice.of(Dims.of(0, 0), Dims.of(5, 3), Dims.of(1)));
  }

  @Test
  void startsAreNotNegative() {
    refused(
        "slice C3",
        "slice: start_indices[1] got -1, want at least 0",
        () -> Slice.of(Dims.of(0, -1), Dims.of(5, 3), Dims.of(1, 1)).infer(f32(5, 3)));
  }

  @Test
  void limitsAreNotBeforeStarts() {
    refused(
        "slice C3",
        "slice: limit_indices[0] got 2, want at least start_indices[0], 3",
        () -> Slice.of(Dims.of(3, 0), Dims.of(2, 3), Dims.of(1, 1)).infer(f32(5, 3)));
  }

  @Test
  void limitsAreInBounds() {
    refused(
        "slice C3",
        "slice: limit_indices[1] got 4, want at most 3, the size of dimension 1 of f32[5,3]",
        () -> Slice.of(Dims.of(0, 0), Dims.of(5, 4), Dims.of(1, 1)).infer(f32(5, 3)));
  }

  @Test
  void stridesArePositive() {
    refused(
        "slice C4",
        "slice: strides[1] got 0, want above 0",
        () -> Slice.of(Dims.of(0, 0), Dims.of(5, 3), Dims.of(1, 0)).infer(f32(5, 3)));
  }

  @Test
  void operandMustBeAnArray() {
    refused(
        "",
        "slice: operand got token[], want an array",
        () -> Slice.of(Dims.of(), Dims.of(), Dims.of()).infer(Shape.token()));
  }
}
