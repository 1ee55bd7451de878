package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;

import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

final class CopyTest {
  @Test
  void shapeStaysButForLayout() {
    Shape.Array x = shape("f32[2,<=3]");
    assertThat(new Copy().infer(x.withLayout(Layout.rowMajor(2)))).isEqualTo(x);
    assertThat(new Copy().infer(Shape.tuple(x))).isEqualTo(Shape.tuple(x));
  }

  @Test
  void takesOneOperand() {
    assertRefused("copy: operand count got 0, want 1", () -> new Copy().infer());
  }
}
