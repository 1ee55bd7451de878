package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;

import org.junit.jupiter.api.Test;

final class ParameterTest {
  @Test
  void hasTheDeclaredShape() {
    assertThat(new Parameter(0, shape("f32[2,<=3]")).infer()).isEqualTo(shape("f32[2,<=3]"));
  }

  @Test
  void invalidNumbersAndOperandsAreRefused() {
    assertRefused(
        "parameter: number got -1, want at least 0", () -> new Parameter(-1, shape("f32[]")));
    assertRefused(
        "parameter: operand count got 1, want 0",
        () -> new Parameter(0, shape("f32[]")).infer(shape("f32[]")));
  }
}
