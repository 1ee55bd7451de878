package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S8;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.dims;
import static org.hlo4j.hlo.Shapes.shape;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DotTest {
  /** Batch and contracting dimensions of lhs, then those of rhs. */
  private static Dot dot(String lhsBatch, String lhs, String rhsBatch, String rhs) {
    return Dot.general(dims(lhsBatch), dims(lhs), dims(rhsBatch), dims(rhs));
  }

  private static void assertDotRefused(String message, Dot dot, String lhs, String rhs) {
    assertRefused("dot: " + message, () -> dot.infer(shape(lhs), shape(rhs)));
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
      String lhsSums,
      String rhs,
      String rhsBatch,
      String rhsSums,
      String result) {
    Dot dot = dot(lhsBatch, lhsSums, rhsBatch, rhsSums);
    assertThat(dot.infer(shape(lhs), shape(rhs))).isEqualTo(shape(result));
  }

  @Test
  void preferredElementTypeIsThatOfTheResult() {
    Shape.Array bytes = shape("s8[3]");
    Dot dot = Dot.matrix(1);
    assertThat(dot.withPreferredElementType(S32).infer(bytes, bytes)).isEqualTo(shape("s32[]"));
    assertThat(dot.withPreferredElementType(S32).infer(bytes, shape("u8[3]")))
        .isEqualTo(shape("s32[]"));
    assertThat(dot.withPreferredElementType(F32).infer(shape("bf16[3]"), shape("f8e5m2[3]")))
        .isEqualTo(shape("f32[]"));
  }

  @Test
  void freeDimensions() {
    Dot dot = dot("0", "2", "1", "0");
    assertThat(dot.lhsFreeDims(4)).isEqualTo(Dims.of(1, 3));
    assertThat(dot.rhsFreeDims(3)).isEqualTo(Dims.of(2));
  }

  @Test
  void c1AsManyBatchDimensions() {
    assertDotRefused(
        "batch dimensions got (0) of lhs and () of rhs, want as many [dot_general C1]",
        dot("0", "1", "", "0"),
        "f32[2,3]",
        "f32[3]");
  }

  @Test
  void c2AsManyContractingDimensions() {
    assertDotRefused(
        "contracting dimensions got (1) of lhs and (0, 1) of rhs, want as many [dot_general C2]",
        dot("", "1", "", "0 1"),
        "f32[2,3]",
        "f32[3,2]");
  }

  @Test
  void c3c4NoDimensionTwice() {
    assertDotRefused(
        "lhs got batch dimensions (0) and contracting dimensions (0), want no dimension twice"
            + " [dot_general C3]",
        dot("0", "0", "0", "1"),
        "f32[2,3]",
        "f32[2,3]");
    assertDotRefused(
        "rhs got batch dimensions () and contracting dimensions (1, 1), want no dimension twice"
            + " [dot_general C4]",
        dot("", "0 1", "", "1 1"),
        "f32[2,3]",
        "f32[2,3]");
  }

  @Test
  void c6c8DimensionsExist() {
    assertDotRefused(
        "lhs dimension got 2, want one of f32[2,3] [dot_general C6]",
        dot("", "2", "", "0"),
        "f32[2,3]",
        "f32[3]");
    assertDotRefused(
        "rhs dimension got -1, want one of f32[3] [dot_general C8]",
        dot("", "1", "", "-1"),
        "f32[2,3]",
        "f32[3]");
  }

  @Test
  void c9BatchSizesAreEqual() {
    assertDotRefused(
        "batch dimension 0 of lhs f32[2,3] has size 2, dimension 1 of rhs f32[3,4] has size 4,"
            + " want equal [dot_general C9]",
        dot("0", "1", "1", "0"),
        "f32[2,3]",
        "f32[3,4]");
  }

  @Test
  void c10ContractingSizesAreEqual() {
    assertDotRefused(
        "contracting dimension 1 of lhs f32[2,3] has size 3, dimension 0 of rhs f32[1,4] has size"
            + " 1, want equal [dot_general C10]",
        Dot.matrix(2),
        "f32[2,3]",
        "f32[1,4]");
  }

  /** As real XLA has it; the specification of StableHLO wants them equal (dot_general C13). */
  @Test
  void elementTypesMayDiffer() {
    assertResultType("f32", "f32", "s32");
    assertResultType("s32", "u32", "s32");
    assertResultType("s64", "u8", "s64");
    assertResultType("bf16", "f16", "bf16");
    assertResultType("f8e5m2", "f8e4m3fn", "f8e5m2");
    assertResultType("c64", "f64", "c64");
    assertResultType("s8", "pred", "s8");
    assertThat(Dot.matrix(1).withPreferredElementType(S8).infer(shape("f32[3]"), shape("f32[3]")))
        .isEqualTo(shape("s8[]"));
  }

  private static void assertResultType(String want, String lhs, String rhs) {
    assertThat(Dot.matrix(1).infer(shape(lhs + "[3]"), shape(rhs + "[3]")))
        .isEqualTo(shape(want + "[]"));
  }

  @Test
  void operandsAreArrays() {
    assertRefused(
        "dot: lhs got (), want an array",
        () -> Dot.matrix(1).infer(Shape.tuple(), shape("f32[3]")));
    assertRefused(
        "dot: rhs got (), want an array",
        () -> Dot.matrix(1).infer(shape("f32[3]"), Shape.tuple()));
  }
}
