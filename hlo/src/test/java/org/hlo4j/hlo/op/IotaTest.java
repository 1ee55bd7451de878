package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;

import org.junit.jupiter.api.Test;

final class IotaTest {
  @Test
  void c1DimensionMustExist() {
    assertRefused(
        "iota: shape got f32[], want rank 1 at least [iota C1]",
        () -> new Iota(shape("f32[]"), 0).infer());
    assertRefused(
        "iota: iota_dimension got 2, want one from 0 to 1 of f32[2,3] [iota C1]",
        () -> new Iota(shape("f32[2,3]"), 2).infer());
    assertRefused(
        "iota: iota_dimension got -1, want one from 0 to 1 of f32[2,3] [iota C1]\n"
            + "  fits: 1, dimension -1 from the end",
        () -> new Iota(shape("f32[2,3]"), -1).infer());
  }

  @Test
  void elementsAreNumbers() {
    assertRefused(
        "iota: element type got pred, want a number type",
        () -> new Iota(shape("pred[2]"), 0).infer());
  }

  @Test
  void sizesAreStatic() {
    assertRefused(
        "iota: shape got f32[<=2], want static sizes: iota has no size to follow",
        () -> new Iota(shape("f32[<=2]"), 0).infer());
  }
}
