package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

class PadTest {
  @Test
  void dynamicDimensionsStayDynamic() {
    shape(
        "f32[<=8,3]",
        new Pad(new PadConfig(Dims.of(1, 0), Dims.of(2, 0), Dims.of(0, 0)))
            .infer(dynamic(0), f32()));
    shape(
        "f32[?,3]",
        new Pad(new PadConfig(Dims.of(1, 0), Dims.of(2, 0), Dims.of(0, 0)))
            .infer(unbounded(), f32()));
  }

  @Test
  void highPaddingCountMustMatchLow() {
    refused(
        "pad C2",
        "pad: edge_padding_high got (0, 0), want as many values as edge_padding_low, 1",
        () -> new PadConfig(Dims.of(1), Dims.of(0, 0), Dims.of(0)));
  }

  @Test
  void interiorPaddingCountMustMatchLow() {
    refused(
        "pad C2",
        "pad: interior_padding got (), want as many values as edge_padding_low, 1",
        () -> new PadConfig(Dims.of(1), Dims.of(0), Dims.of()));
  }
}
