package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Shapes.dims;
import static org.hlo4j.hlo.Shapes.shape;

import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DotTest {
  /** Returns a dot with the batch and contracting dimensions of lhs, then those of rhs. */
  private static Dot dot(String lhsBatch, String lhs, String rhsBatch, String rhs) {
    return Dot.general(dims(lhsBatch), dims(lhs), dims(rhsBatch), dims(rhs));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[3]      ; f32[3]      ; f32[]
          f32[2,3]    ; f32[3]      ; f32[2]
          f32[3]      ; f32[3,4]    ; f32[4]
          f32[2,3]    ; f32[3,4]    ; f32[2,4]
          s8[2,0]     ; s8[0,4]     ; s8[2,4]
          f32[?,3]    ; f32[3,<=4]  ; f32[?,<=4]
          f32[2,?]    ; f32[3,4]    ; f32[2,4]
          """)
  void matrixShapes(String lhs, String rhs, String result) {
    Dot dot = Dot.matrix(shape(lhs).rank());
    assertThat(dot.infer(shape(lhs), shape(rhs))).isEqualTo(shape(result));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          # lhs          ; batch ; sums ; rhs          ; batch ; sums ; result
          f32[8,2,3]     ; 0     ; 2    ; f32[8,3,4]   ; 0     ; 1    ; f32[8,2,4]
          f32[2,8,3,9]   ; 3 1   ; 2    ; f32[9,8,4,3] ; 0 1   ; 3    ; f32[9,8,2,4]
          f32[2,3]       ; ''    ; 0 1  ; f32[3,2]     ; ''    ; 1 0  ; f32[]
          f32[2]         ; ''    ; ''   ; f32[3]       ; ''    ; ''   ; f32[2,3]
          f32[2]         ; 0     ; ''   ; f32[2]       ; 0     ; ''   ; f32[2]
          """)
  void generalShapes(
      String lhs,
      String lhsBatch,
      String lhsContracting,
      String rhs,
      String rhsBatch,
      String rhsContracting,
      String result) {
    Dot dot = dot(lhsBatch, lhsContracting, rhsBatch, rhsContracting);
    assertThat(dot.infer(shape(lhs), shape(rhs))).isEqualTo(shape(result));
  }

  @Test
  void freeDimensions() {
    Dot dot = dot("0", "2", "1", "0");
    assertThat(dot.lhsFreeDims(4)).isEqualTo(Dims.of(1, 3));
    assertThat(dot.rhsFreeDims(3)).isEqualTo(Dims.of(2));
  }
}
