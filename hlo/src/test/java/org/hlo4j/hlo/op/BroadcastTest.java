package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.dims;
import static org.hlo4j.hlo.Shapes.shape;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BroadcastTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[]       ; ''    ; f32[2,3]
          f32[]       ; ''    ; f32[]
          f32[3]      ; 1     ; f32[2,3]
          f32[2]      ; 0     ; f32[2,3]
          f32[1]      ; 1     ; f32[2,1]
          f32[0]      ; 0     ; f32[0,3]
          f32[3,2]    ; 1 0   ; f32[2,3]
          f32[<=3]    ; 1     ; f32[2,<=3]
          f32[?]      ; 0     ; f32[?,2]
          """)
  void shapes(String operand, String dimensions, String result) {
    Broadcast op = new Broadcast(shape(result), dims(dimensions));
    assertThat(op.infer(shape(operand))).isEqualTo(shape(result));
  }

  private static void assertInferRefused(
      String message, String operand, String dimensions, String result) {
    Broadcast op = new Broadcast(shape(result), dims(dimensions));
    assertRefused("broadcast: " + message, () -> op.infer(shape(operand)));
  }

  @Test
  void c1ElementTypeIsKept() {
    assertInferRefused(
        "element type of the result got s32, want f32 as the operand [broadcast_in_dim C1]",
        "f32[]",
        "",
        "s32[2]");
  }

  @Test
  void c3DimensionsExist() {
    assertInferRefused(
        "dimensions[0] got 2, want a dimension of f32[2,3] [broadcast_in_dim C3]",
        "f32[2]",
        "2",
        "f32[2,3]");
    assertInferRefused(
        "dimensions[0] got -1, want a dimension of f32[2,3] [broadcast_in_dim C3]\n"
            + "  fits: 1, dimension -1 from the end",
        "f32[2]",
        "-1",
        "f32[2,3]");
    assertInferRefused(
        "dimensions[0] got 4294967296, want a dimension of f32[2,3] [broadcast_in_dim C3]",
        "f32[2]",
        "4294967296",
        "f32[2,3]");
  }

  @Test
  void c5SizesAreEqual() {
    assertInferRefused(
        "size of dimension 1 of the result got 3, want 2 as dimension 0 of operand f32[2]"
            + " [broadcast_in_dim C5]",
        "f32[2]",
        "1",
        "f32[2,3]");
    assertInferRefused(
        "size of dimension 1 of the result got 3, want 1 as dimension 0 of operand f32[1]"
            + " [broadcast_in_dim C5]",
        "f32[1]",
        "1",
        "f32[2,3]");
  }

  @Test
  void newDimensionsAreStatic() {
    assertInferRefused(
        "dimension 0 of the result got <=2, want a static size: no dynamic dimension becomes it",
        "f32[3]",
        "1",
        "f32[<=2,3]");
    assertInferRefused(
        "dimension 1 of the result got <=3, want a static size: no dynamic dimension becomes it",
        "f32[3]",
        "1",
        "f32[2,<=3]");
  }

  @Test
  void operandIsAnArray() {
    assertRefused(
        "broadcast: operand got (), want an array",
        () -> new Broadcast(shape("f32[2]"), Dims.of()).infer(Shape.tuple()));
  }
}
