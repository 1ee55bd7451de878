package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConvertTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[2,3]  ; s32      ; s32[2,3]
          c64[2]    ; f32      ; f32[2]
          f32[]     ; c128     ; c128[]
          pred[0]   ; f8e5m2   ; f8e5m2[0]
          s4[<=2,?] ; pred     ; pred[<=2,?]
          """)
  void shapes(String operand, String type, String result) {
    ElementType newType = ElementType.named(type).orElseThrow();
    assertThat(new Convert(newType).infer(shape(operand))).isEqualTo(shape(result));
  }

  @Test
  void operandIsAnArray() {
    assertRefused(
        "convert: operand got (), want an array", () -> new Convert(F32).infer(Shape.tuple()));
  }
}
