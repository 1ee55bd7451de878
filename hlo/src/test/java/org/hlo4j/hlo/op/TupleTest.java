package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Shapes.shape;

import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

final class TupleTest {
  @Test
  void holdsTheShapesOfItsOperands() {
    Shape nested = Shape.tuple(Shape.token());
    assertThat(new Tuple().infer(shape("f32[2]"), nested))
        .isEqualTo(Shape.tuple(shape("f32[2]"), nested));
    assertThat(new Tuple().infer()).isEqualTo(Shape.tuple());
  }
}
