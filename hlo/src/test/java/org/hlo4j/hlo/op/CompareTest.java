package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;
import static org.hlo4j.hlo.op.Compare.Type.FLOAT;
import static org.hlo4j.hlo.op.Compare.Type.SIGNED;
import static org.hlo4j.hlo.op.Compare.Type.TOTALORDER;
import static org.hlo4j.hlo.op.Compare.Type.UNSIGNED;

import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CompareTest {
  private static final Compare LESS = new Compare(Compare.Direction.LT, Optional.empty());

  private static Compare ordered(Compare.Type type) {
    return new Compare(Compare.Direction.LT, Optional.of(type));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[2,3]  ; f32[2,3]  ; pred[2,3]
          pred[]    ; pred[]    ; pred[]
          c64[2]    ; c64[2]    ; pred[2]
          s32[?]    ; s32[2]    ; pred[2]
          s32[?]    ; s32[<=2]  ; pred[<=2]
          """)
  void shapes(String lhs, String rhs, String result) {
    assertThat(LESS.infer(shape(lhs), shape(rhs))).isEqualTo(shape(result));
  }

  @ParameterizedTest
  @CsvSource({
    "f32, FLOAT",
    "bf16, FLOAT",
    "c64, FLOAT",
    "s8, SIGNED",
    "u8, UNSIGNED",
    "pred, UNSIGNED"
  })
  void orderOfEachKind(String type, Compare.Type order) {
    ElementType elementType = ElementType.named(type).orElseThrow();
    assertThat(LESS.typeFor(elementType)).isEqualTo(order);
    assertThat(ordered(order).infer(Shape.of(elementType), Shape.of(elementType)))
        .isEqualTo(shape("pred[]"));
  }

  @Test
  void c1c2OperandsAreOfOneShape() {
    assertRefused(
        "compare: lhs got f32[2] and rhs got s32[2], want the same shape",
        () -> LESS.infer(shape("f32[2]"), shape("s32[2]")));
    assertRefused(
        "compare: lhs got f32[2] and rhs got f32[1], want the same shape",
        () -> LESS.infer(shape("f32[2]"), shape("f32[1]")));
  }

  @Test
  void c3OrderSuitsTheElements() {
    assertThat(ordered(TOTALORDER).infer(shape("f16[]"), shape("f16[]")))
        .isEqualTo(shape("pred[]"));
    assertRefused(
        "compare: type got SIGNED, want FLOAT or TOTALORDER for f32 [compare C3]",
        () -> ordered(SIGNED).infer(shape("f32[]"), shape("f32[]")));
    assertRefused(
        "compare: type got TOTALORDER, want FLOAT for c64 [compare C3]",
        () -> ordered(TOTALORDER).infer(shape("c64[]"), shape("c64[]")));
    assertRefused(
        "compare: type got UNSIGNED, want SIGNED for s32 [compare C3]",
        () -> ordered(UNSIGNED).infer(shape("s32[]"), shape("s32[]")));
    assertRefused(
        "compare: type got FLOAT, want UNSIGNED for pred [compare C3]",
        () -> ordered(FLOAT).infer(shape("pred[]"), shape("pred[]")));
  }

  @Test
  void operandsAreArrays() {
    assertRefused(
        "compare: lhs got (), want an array", () -> LESS.infer(Shape.tuple(), shape("f32[]")));
    assertRefused(
        "compare: rhs got (), want an array", () -> LESS.infer(shape("f32[]"), Shape.tuple()));
  }
}
