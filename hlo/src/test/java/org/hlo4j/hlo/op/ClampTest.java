package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;
import static org.hlo4j.hlo.Shapes.shapes;

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
          f32[2]    f32[?]    f32[2]    ; f32[?]
          f32[?]    f32[2]    f32[2]    ; f32[2]
          f32[?]    f32[<=2]  f32[?]    ; f32[<=2]
          f32[<=2]  f32[2]    f32[<=2]  ; f32[2]
          f32[2]    f32[<=2]  f32[]     ; f32[<=2]
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
  void c1c2BoundsAreScalarsOrMatchTheOperand(String operands, String complaint) {
    assertRefused("clamp: " + complaint, () -> new Clamp().infer(shapes(operands)));
  }
}
