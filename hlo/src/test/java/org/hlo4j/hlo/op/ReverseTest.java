package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

class ReverseTest {
  private static Shape.Array f32(long... sizes) {
    return Shape.of(F32, sizes);
  }

  private static Shape.Array dynamic(Integer... dimensions) {
    return f32(5, 3).withDynamic(List.of(dimensions));
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
