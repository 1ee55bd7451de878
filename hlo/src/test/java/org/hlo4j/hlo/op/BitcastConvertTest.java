package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.C128;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S16;
import static org.hlo4j.hlo.ElementType.U64;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BitcastConvertTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[2,3]    ; s32   ; s32[2,3]
          f32[2]      ; u16   ; u16[2,2]
          f64[]       ; u8    ; u8[8]
          s8[3]       ; s4    ; s4[3,2]
          u16[2,2]    ; f32   ; f32[2]
          u8[8]       ; f64   ; f64[]
          u4[3,2]     ; u8    ; u8[3]
          c64[2]      ; c64   ; c64[2]
          c128[2]     ; c64   ; c64[2,2]
          c64[2]      ; c128  ; c128[]
          f32[<=4]    ; s16   ; s16[<=4,2]
          s16[<=4,2]  ; f32   ; f32[<=4]
          u16[0,2]    ; f32   ; f32[0]
          """)
  void shapes(String operand, String type, String result) {
    ElementType newType = ElementType.named(type).orElseThrow();
    assertThat(new BitcastConvert(newType).infer(shape(operand))).isEqualTo(shape(result));
  }

  @Test
  void c1WidthsAreMultiples() {
    assertRefused(
        "bitcast-convert: last dimension got u16[2,3], want size 2 to make one f32"
            + " [bitcast_convert C1]",
        () -> new BitcastConvert(F32).infer(shape("u16[2,3]")));
    assertRefused(
        "bitcast-convert: last dimension got u16[], want size 2 to make one f32"
            + " [bitcast_convert C1]",
        () -> new BitcastConvert(F32).infer(shape("u16[]")));
    assertRefused(
        "bitcast-convert: last dimension got u8[<=8], want size 8 to make one u64"
            + " [bitcast_convert C1]",
        () -> new BitcastConvert(U64).infer(shape("u8[<=8]")));
  }

  @Test
  void c2BothComplexOrNeither() {
    assertRefused(
        "bitcast-convert: got f32 to c128, want both complex or neither [bitcast_convert C2]",
        () -> new BitcastConvert(C128).infer(shape("f32[4]")));
    assertRefused(
        "bitcast-convert: got c64 to s16, want both complex or neither [bitcast_convert C2]",
        () -> new BitcastConvert(S16).infer(shape("c64[]")));
  }

  @Test
  void operandIsAnArray() {
    assertRefused(
        "bitcast-convert: operand got (), want an array",
        () -> new BitcastConvert(F32).infer(Shape.tuple()));
  }
}
