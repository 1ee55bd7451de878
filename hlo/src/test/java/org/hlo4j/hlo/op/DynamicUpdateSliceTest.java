package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableSortedSet;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

class DynamicUpdateSliceTest {
  private static Shape.Array f32(long... sizes) {
    return Shape.of(F32, sizes);
  }

  private static Shape.Array s32(long... sizes) {
    return Shape.of(ElementType.S32, sizes);
  }

  private static Shape.Array dynamic(Integer... dimensions) {
    return f32(5, 3).withDynamic(List.of(dimensions));
  }

  private static Shape.Array unbounded() {
    return new Shape.Array(
        F32, Dims.of(Shape.UNBOUNDED, 3), ImmutableSortedSet.of(0), Optional.empty());
  }

  private static void shape(String want, Shape got) {
    assertThat(got.toString()).isEqualTo(want);
  }

  private static void refused(String label, String message, Runnable call) {
    HloException refusal = assertThrows(HloException.class, call::run);
    assertThat(refusal.label()).isEqualTo(label);
    assertThat(refusal.summary()).isEqualTo(message);
  }

  @Test
  void isOfTheShapeOfTheOperand() {
    shape("f32[5,3]", new DynamicUpdateSlice().infer(f32(5, 3), f32(2, 3), s32(), s32()));
    shape("f32[]", new DynamicUpdateSlice().infer(f32(), f32()));
    shape("f32[5]", new DynamicUpdateSlice().infer(f32(5), f32(0), s32()));
    shape("f32[5,3]", new DynamicUpdateSlice().infer(f32(5, 3), f32(2, 3), s32(2)));
  }

  @Test
  void updateOfAWholeDynamicDimensionMakesItDynamic() {
    shape("f32[<=5,3]", new DynamicUpdateSlice().infer(f32(5, 3), dynamic(0), s32(), s32()));
    shape("f32[6,3]", new DynamicUpdateSlice().infer(f32(6, 3), dynamic(0), s32(), s32()));
    shape("f32[5,<=3]", new DynamicUpdateSlice().infer(dynamic(1), f32(5, 3), s32(), s32()));
    shape("f32[?,3]", new DynamicUpdateSlice().infer(unbounded(), f32(5, 3), s32(), s32()));
  }

  @Test
  void updateMustBeOfTheSameType() {
    refused(
        "dynamic_update_slice C2",
        "dynamic-update-slice: element type of the update got s32, want f32 as the operand",
        () -> new DynamicUpdateSlice().infer(f32(5, 3), s32(2, 3), s32(), s32()));
  }

  @Test
  void updateMustBeOfTheSameRank() {
    refused(
        "dynamic_update_slice C3",
        "dynamic-update-slice: update got f32[2], want the rank of operand f32[5,3], 2",
        () -> new DynamicUpdateSlice().infer(f32(5, 3), f32(2), s32(), s32()));
  }

  @Test
  void startsMustBeAsManyAsDimensions() {
    refused(
        "dynamic_update_slice C4",
        "dynamic-update-slice: start index count got 1, want one for each of the 2 dimensions of"
            + " f32[5,3]",
        () -> new DynamicUpdateSlice().infer(f32(5, 3), f32(2, 3), s32()));
  }

  @Test
  void startsMustBeOfOneType() {
    refused(
        "dynamic_update_slice C5",
        "dynamic-update-slice: start index 1 got u8[], want s32[] as start index 0",
        () ->
            new DynamicUpdateSlice().infer(f32(5, 3), f32(2, 3), s32(), Shape.of(ElementType.U8)));
  }

  @Test
  void updateMustFitIn() {
    refused(
        "dynamic_update_slice C6",
        "dynamic-update-slice: size of dimension 1 of the update got 4, want at most 3 as in"
            + " operand f32[5,3]",
        () -> new DynamicUpdateSlice().infer(f32(5, 3), f32(2, 4), s32(), s32()));
  }
}
