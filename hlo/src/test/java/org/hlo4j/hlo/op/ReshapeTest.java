package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;

import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReshapeTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[2,3]    ; f32[6]
          f32[2,3]    ; f32[3,1,2]
          f32[1,1]    ; f32[]
          f32[]       ; f32[1]
          f32[0,3]    ; f32[5,0]
          f32[<=2,3]  ; f32[<=6]
          """)
  void shapes(String operand, String result) {
    assertThat(new Reshape(shape(result)).infer(shape(operand))).isEqualTo(shape(result));
  }

  @Test
  void c1ElementTypeIsKept() {
    assertRefused(
        "reshape: element type of the result got s32, want f32 as the operand [reshape C1]",
        () -> new Reshape(shape("s32[2]")).infer(shape("f32[2]")));
  }

  @Test
  void c2ElementCountIsKept() {
    assertRefused(
        "reshape: element count got 5 for f32[5], want 6 as in f32[2,3] [reshape C2]",
        () -> new Reshape(shape("f32[5]")).infer(shape("f32[2,3]")));
    assertRefused(
        "reshape: got f32[?] to f32[6], want bounds on all sizes [reshape C2]",
        () -> new Reshape(shape("f32[6]")).infer(shape("f32[?]")));
    assertRefused(
        "reshape: got f32[6] to f32[?], want bounds on all sizes [reshape C2]",
        () -> new Reshape(shape("f32[?]")).infer(shape("f32[6]")));
  }

  @Test
  void operandIsAnArray() {
    assertRefused(
        "reshape: operand got token[], want an array",
        () -> new Reshape(shape("f32[2]")).infer(Shape.token()));
  }
}
