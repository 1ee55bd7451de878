package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;

import org.junit.jupiter.api.Test;

final class ReducePrecisionTest {
  @Test
  void shapeStays() {
    ReducePrecision op = new ReducePrecision(5, 10);
    assertThat(op.infer(shape("f32[2,<=3]"))).isEqualTo(shape("f32[2,<=3]"));
    assertThat(new ReducePrecision(1, 0).infer(shape("bf16[]"))).isEqualTo(shape("bf16[]"));
  }

  @Test
  void c1ElementsAreFloats() {
    assertRefused(
        "reduce-precision: element type got s32, want float [reduce_precision C1]",
        () -> new ReducePrecision(5, 10).infer(shape("s32[2]")));
  }

  @Test
  void c2AtLeastOneExponentBit() {
    assertRefused(
        "reduce-precision: exponent_bits got 0, want at least 1 [reduce_precision C2]",
        () -> new ReducePrecision(0, 10).infer(shape("f32[2]")));
  }

  @Test
  void c3NoFewerThanZeroMantissaBits() {
    assertRefused(
        "reduce-precision: mantissa_bits got -1, want at least 0 [reduce_precision C3]",
        () -> new ReducePrecision(5, -1).infer(shape("f32[2]")));
  }
}
