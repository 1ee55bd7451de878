package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;

import org.hlo4j.hlo.Literal;
import org.junit.jupiter.api.Test;

final class ConstantTest {
  @Test
  void hasTheShapeOfTheLiteral() {
    Literal literal = Literal.tuple(Literal.of(1), Literal.of(new float[2]));
    assertThat(new Constant(literal).infer()).isEqualTo(literal.shape());
  }

  @Test
  void takesNoOperands() {
    assertRefused(
        "constant: operand count got 1, want 0",
        () -> new Constant(Literal.of(1)).infer(shape("s32[]")));
  }
}
