package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Shapes.shape;

import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
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
}
