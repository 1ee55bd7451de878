package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.s32;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

class PadTest {
  @Test
  void addsEdgesAndInterior() {
    shape(
        "f32[4,3]",
        new Pad(new PadConfig(Dims.of(0, 1), Dims.of(1, 0), Dims.of(1, 0)))
            .infer(f32(2, 2), f32()));
    shape(
        "f32[3]",
        new Pad(new PadConfig(Dims.of(-1), Dims.of(-1), Dims.of(0))).infer(f32(5), f32()));
    shape(
        "f32[0]", new Pad(new PadConfig(Dims.of(0), Dims.of(0), Dims.of(2))).infer(f32(0), f32()));
    shape(
        "f32[2]", new Pad(new PadConfig(Dims.of(1), Dims.of(1), Dims.of(3))).infer(f32(0), f32()));
    shape(
        "f32[3]", new Pad(new PadConfig(Dims.of(-2), Dims.of(0), Dims.of(1))).infer(f32(3), f32()));
    shape("f32[]", new Pad(new PadConfig(Dims.of(), Dims.of(), Dims.of())).infer(f32(), f32()));
    shape(
        "f32[4]",
        new Pad(new PadConfig(Dims.of(Long.MIN_VALUE), Dims.of(Long.MAX_VALUE), Dims.of(0)))
            .infer(f32(5), f32()));
  }

  @Test
  void dynamicDimensionsStaySo() {
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
  void valueMustBeOfTheSameType() {
    refused(
        "pad C1",
        "pad: padding_value got s32[], want f32[] as the elements of the operand",
        () -> new Pad(new PadConfig(Dims.of(1), Dims.of(0), Dims.of(0))).infer(f32(2), s32()));
  }

  @Test
  void valueMustBeAScalar() {
    refused(
        "pad C1",
        "pad: padding_value got f32[1], want f32[] as the elements of the operand",
        () -> new Pad(new PadConfig(Dims.of(1), Dims.of(0), Dims.of(0))).infer(f32(2), f32(1)));
  }

  @Test
  void lowsMustBeAsManyAsDimensions() {
    refused(
        "pad C2",
        "pad: edge_padding_low got (1, 0), want one for each of the 1 dimensions of f32[2]",
        () -> new Pad(PadConfig.edges(Dims.of(1, 0), Dims.of(0, 0))).infer(f32(2), f32()));
  }

  @Test
  void highsMustBeAsManyAsLows() {
    refused(
        "pad C2",
        "pad: edge_padding_high got (0, 0), want as many values as edge_padding_low, 1",
        () -> new PadConfig(Dims.of(1), Dims.of(0, 0), Dims.of(0)));
  }

  @Test
  void interiorsMustBeAsManyAsLows() {
    refused(
        "pad C2",
        "pad: interior_padding got (), want as many values as edge_padding_low, 1",
        () -> new PadConfig(Dims.of(1), Dims.of(0), Dims.of()));
  }

  @Test
  void interiorsAreNotNegative() {
    refused(
        "pad C3",
        "pad: interior_padding[0] got -1, want at least 0",
        () -> new Pad(new PadConfig(Dims.of(0), Dims.of(0), Dims.of(-1))).infer(f32(2), f32()));
  }

  @Test
  void noMoreIsCutOffThanThereIs() {
    refused(
        "pad C4",
        "pad: size of dimension 0 of the result got -1 from -2_-1 in f32[2], want at least 0",
        () -> new Pad(new PadConfig(Dims.of(-2), Dims.of(-1), Dims.of(0))).infer(f32(2), f32()));
  }

  @Test
  void sizesDoNotOverflow() {
    refused(
        "pad C4",
        "pad: size of dimension 0 of the result got beyond 2^63 - 1 from 1_9223372036854775807 in"
            + " f32[2], want less",
        () ->
            new Pad(new PadConfig(Dims.of(1), Dims.of(Long.MAX_VALUE), Dims.of(0)))
                .infer(f32(2), f32()));
  }

  @Test
  void interiorDoesNotOverflow() {
    refused(
        "pad C4",
        "pad: size of dimension 0 of the result got beyond 2^63 - 1 from 0_0_4611686018427387903 in"
            + " f32[4], want less",
        () ->
            new Pad(new PadConfig(Dims.of(0), Dims.of(0), Dims.of(Long.MAX_VALUE / 2)))
                .infer(f32(4), f32()));
  }

  @Test
  void elementCountDoesNotOverflow() {
    refused(
        "",
        "pad: shape: the element count of f32(1099511627778, 1099511627778) got above 2^63 - 1,"
            + " want at most that",
        () ->
            new Pad(new PadConfig(Dims.of(0, 0), Dims.of(1L << 40, 1L << 40), Dims.of(0, 0)))
                .infer(f32(2, 2), f32()));
  }
}
