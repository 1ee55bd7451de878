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

class ConcatenateTest {
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
