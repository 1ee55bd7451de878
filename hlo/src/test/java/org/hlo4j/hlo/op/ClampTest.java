package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;
import static org.hlo4j.hlo.Shapes.shapes;

import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ClampTest {
  /** The dynamic rows are XLA's unit tests of unbounded clamp. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[2]    f32[2]    f32[2]    ; f32[2]
          f32[]     f32[2,3]  f32[]     ; f32[2,3]
          s8[]      s8[2]     s8[2]     ; s8[2]
          u8[2]     u8[2]     u8[]      ; u8[2]
          f32[]     f32[0]    f32[]     ; f32[0]
          f32[]     f32[?]    f32[]     ; f32[?]
          f32[2]    f32[?]    f32[2]    ; f32[2]
          f32[?]    f32[2]    f32[2]    ; f32[2]
          f32[?]    f32[<=2]  f32[?]    ; f32[<=2]
          """)
  void shapesOfResults(String operands, String result) {
    assertThat(new Clamp().infer(shapes(operands))).isEqualTo(shape(result));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[?] f32[] f32[?]    ; min got f32[?] and operand got f32[], want the same shape [clamp C1]
          f32[3] f32[<=2] f32[3] ; min got f32[3] and operand got f32[<=2], want the same shape [clamp C1]
          f32[1] f32[2] f32[2]   ; min got f32[1] and operand got f32[2], want the same shape [clamp C1]
          f32[2] f32[?] f32[3]   ; max got f32[3] and operand got f32[2], want the same shape [clamp C2]
          f32[] f32[2] f32[1]    ; max got f32[1] and operand got f32[2], want the same shape [clamp C2]
          """)
  void c1c2BoundsAreScalarsOrOfTheOperandsShape(String operands, String complaint) {
    assertRefused("clamp: " + complaint, () -> new Clamp().infer(shapes(operands)));
  }

  @Test
  void c3ElementTypesAreTheSame() {
    assertRefused(
        "clamp: element types of min, operand and max got s32, f32 and f32, want the same [clamp"
            + " C3]",
        () -> new Clamp().infer(shapes("s32[] f32[2] f32[]")));
    assertRefused(
        "clamp: element types of min, operand and max got f32, f32 and f64, want the same [clamp"
            + " C3]",
        () -> new Clamp().infer(shapes("f32[] f32[2] f64[]")));
  }

  @Test
  void elementsHaveAnOrder() {
    assertRefused(
        "clamp: element type got c64, want integer or float",
        () -> new Clamp().infer(shapes("c64[] c64[2] c64[]")));
    assertRefused(
        "clamp: element type got pred, want integer or float",
        () -> new Clamp().infer(shapes("pred[] pred[2] pred[]")));
  }

  @Test
  void operandsAreArrays() {
    Shape x = shape("f32[2]");
    Shape tuple = Shape.tuple();
    assertRefused("clamp: min got (), want an array", () -> new Clamp().infer(tuple, x, x));
    assertRefused("clamp: operand got (), want an array", () -> new Clamp().infer(x, tuple, x));
    assertRefused("clamp: max got (), want an array", () -> new Clamp().infer(x, x, tuple));
  }
}
