package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.s32;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

class DynamicSliceTest {
  @Test
  void isOfTheSizeOfTheBox() {
    shape("f32[2,3]", new DynamicSlice(Dims.of(2, 3)).infer(f32(5, 3), s32(), s32()));
    shape("f32[]", new DynamicSlice(Dims.of()).infer(f32()));
    shape("f32[0]", new DynamicSlice(Dims.of(0)).infer(f32(5), s32()));
    shape("f32[5]", new DynamicSlice(Dims.of(5)).infer(f32(5), Shape.of(ElementType.U64)));
    shape("f32[2,3]", new DynamicSlice(Dims.of(2, 3)).infer(f32(5, 3), s32(2)));
  }

  @Test
  void isStaticOfDynamicOperands() {
    shape("f32[5,3]", new DynamicSlice(Dims.of(5, 3)).infer(dynamic(0), s32(), s32()));
    shape("f32[9,3]", new DynamicSlice(Dims.of(9, 3)).infer(unbounded(), s32(), s32()));
  }

  @Test
  void startsMustBeAsManyAsDimensions() {
    refused(
        "dynamic_slice C2",
        "dynamic-slice: start index count got 1, want one for each of the 2 dimensions of f32[5,3]",
        () -> new DynamicSlice(Dims.of(2, 3)).infer(f32(5, 3), s32()));
  }

  @Test
  void vectorOfStartsMustBeAsLongAsTheRank() {
    refused(
        "dynamic_slice C2",
        "dynamic-slice: start_indices got s32[3], want a vector of 2 integers, one for each"
            + " dimension of f32[5,3]",
        () -> new DynamicSlice(Dims.of(2, 3)).infer(f32(5, 3), s32(3)));
  }

  @Test
  void sizesMustBeAsManyAsDimensions() {
    refused(
        "dynamic_slice C2",
        "dynamic-slice: dynamic_slice_sizes got (2), want one for each of the 2 dimensions of"
            + " f32[5,3]",
        () -> new DynamicSlice(Dims.of(2)).infer(f32(5, 3), s32(), s32()));
  }

  @Test
  void startsMustBeScalars() {
    refused(
        "dynamic_slice C3",
        "dynamic-slice: start index 1 got s32[1,1], want an integer scalar",
        () -> new DynamicSlice(Dims.of(2, 3)).infer(f32(5, 3), s32(), s32(1, 1)));
  }

  @Test
  void startsMustBeIntegers() {
    refused(
        "dynamic_slice C3",
        "dynamic-slice: start index 1 got pred[], want an integer scalar",
        () -> new DynamicSlice(Dims.of(2, 3)).infer(f32(5, 3), s32(), Shape.of(ElementType.PRED)));
  }

  @Test
  void startsMustBeOfOneType() {
    refused(
        "dynamic_slice C3",
        "dynamic-slice: start index 1 got s64[], want s32[] as start index 0",
        () -> new DynamicSlice(Dims.of(2, 3)).infer(f32(5, 3), s32(), Shape.of(ElementType.S64)));
  }

  @Test
  void sizesAreNotNegative() {
    refused(
        "dynamic_slice C4",
        "dynamic-slice: dynamic_slice_sizes[1] got -1, want from 0 to 3, the size of dimension 1 of"
            + " f32[5,3]",
        () -> new DynamicSlice(Dims.of(2, -1)).infer(f32(5, 3), s32(), s32()));
  }

  @Test
  void sizesAreInBounds() {
    refused(
        "dynamic_slice C4",
        "dynamic-slice: dynamic_slice_sizes[0] got 6, want from 0 to 5, the size of dimension 0 of"
            + " f32[5,3]",
        () -> new DynamicSlice(Dims.of(6, 3)).infer(f32(5, 3), s32(), s32()));
  }
}
