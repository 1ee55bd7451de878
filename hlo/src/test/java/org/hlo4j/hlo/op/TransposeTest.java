package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.dims;
import static org.hlo4j.hlo.Shapes.shape;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TransposeTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[2,3]      ; 1 0    ; f32[3,2]
          f32[2,3]      ; 0 1    ; f32[2,3]
          f32[2,3,4]    ; 2 0 1  ; f32[4,2,3]
          f32[]         ; ''     ; f32[]
          f32[0,3]      ; 1 0    ; f32[3,0]
          f32[<=2,3,?]  ; 1 2 0  ; f32[3,?,<=2]
          """)
  void shapes(String operand, String dimensions, String result) {
    assertThat(new Transpose(dims(dimensions)).infer(shape(operand))).isEqualTo(shape(result));
  }

  @ParameterizedTest
  @CsvSource({"0", "0 0", "0 2", "-3 0", "0 1 2", "''"})
  void c2DimensionsAreAPermutation(String dimensions) {
    assertRefused(
        "transpose: dimensions got "
            + dims(dimensions)
            + ", want a permutation of the 2 dimensions of f32[2,3] [transpose C2]",
        () -> new Transpose(dims(dimensions)).infer(shape("f32[2,3]")));
  }

  @Test
  void c2NegativeDimensionGetsASuggestion() {
    assertRefused(
        "transpose: dimensions got (-1, 0), want a permutation of the 2 dimensions of f32[2,3]"
            + " [transpose C2]\n  fits: 1, dimension -1 from the end",
        () -> new Transpose(dims("-1 0")).infer(shape("f32[2,3]")));
  }
}
