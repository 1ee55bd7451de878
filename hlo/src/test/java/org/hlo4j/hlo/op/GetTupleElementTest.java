package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;

import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

final class GetTupleElementTest {
  private static final Shape PAIR = Shape.tuple(shape("f32[2]"), shape("s32[]"));

  @Test
  void hasTheShapeOfTheElement() {
    assertThat(new GetTupleElement(0).infer(PAIR)).isEqualTo(shape("f32[2]"));
    assertThat(new GetTupleElement(1).infer(PAIR)).isEqualTo(shape("s32[]"));
  }

  @Test
  void c1ElementExists() {
    assertRefused(
        "get-tuple-element: index got 2, want below 2, the size of (f32[2], s32[])"
            + " [get_tuple_element C1]",
        () -> new GetTupleElement(2).infer(PAIR));
    assertRefused(
        "get-tuple-element: index got -1, want below 2, the size of (f32[2], s32[])"
            + " [get_tuple_element C1]",
        () -> new GetTupleElement(-1).infer(PAIR));
    assertRefused(
        "get-tuple-element: index got 0, want below 0, the size of ()" + " [get_tuple_element C1]",
        () -> new GetTupleElement(0).infer(Shape.tuple()));
  }

  @Test
  void operandIsATuple() {
    assertRefused(
        "get-tuple-element: operand got f32[2], want a tuple",
        () -> new GetTupleElement(0).infer(shape("f32[2]")));
  }
}
