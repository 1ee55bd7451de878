package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;
import static org.hlo4j.hlo.Shapes.shapes;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SelectTest {
  /** The dynamic rows are XLA's unit tests of unbounded select. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          pred[2]    f32[2]    f32[2]    ; f32[2]
          pred[]     f32[2,3]  f32[2,3]  ; f32[2,3]
          pred[]     s8[]      s8[]      ; s8[]
          pred[0]    c64[0]    c64[0]    ; c64[0]
          pred[2]    pred[2]   pred[2]   ; pred[2]
          pred[]     f32[?]    f32[2]    ; f32[2]
          pred[2]    f32[?]    f32[2]    ; f32[2]
          pred[?]    f32[2]    f32[?]    ; f32[2]
          pred[?]    f32[<=2]  f32[?]    ; f32[<=2]
          """)
  void shapesOfResults(String operands, String result) {
    assertThat(new Select().infer(shapes(operands))).isEqualTo(shape(result));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          pred[3] f32[<=2] f32[3]  ; on_true got f32[<=2] and on_false got f32[3]
          pred[2] f32[2] f32[]     ; on_true got f32[2] and on_false got f32[]
          pred[] f32[] f32[2]      ; on_true got f32[] and on_false got f32[2]
          pred[] f32[1] f32[2]     ; on_true got f32[1] and on_false got f32[2]
          """)
  void c2OnTrueAndOnFalseHaveOneShape(String operands, String complaint) {
    assertRefused(
        "select: " + complaint + ", want the same shape [select C2]",
        () -> new Select().infer(shapes(operands)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          pred[2] f32[?] f32[3]  ; pred got pred[2] and on_true got pred[3], want the same shape
          pred[2] f32[] f32[]    ; pred got pred[2] and on_true got pred[], want the same shape
          pred[1] f32[2] f32[2]  ; pred got pred[1] and on_true got pred[2], want the same shape
          """)
  void c1PredIsScalarOrMatchesTheOperands(String operands, String complaint) {
    assertRefused(
        "select: " + complaint + " [select C1]", () -> new Select().infer(shapes(operands)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          pred[3] s32[3] f32[3]  ; on_true got s32[3] and on_false got f32[3], want the same shape [select C2]; S32; on_false
          pred[] f64[3] f32[3]   ; on_true got f64[3] and on_false got f32[3], want the same shape [select C2]; F64; on_false
          s32[] f32[2] f32[2]    ; element type of pred got s32, want pred [select C1]; PRED; pred
          s32[2] f32[2] f32[2]   ; element type of pred got s32, want pred [select C1]; PRED; pred
          """)
  void otherElementTypesCanBeConverted(
      String operands, String complaint, String type, String operand) {
    assertRefused(
        String.format("select: %s\n  fits: convertElementType(%s) of %s", complaint, type, operand),
        () -> new Select().infer(shapes(operands)));
  }
}
