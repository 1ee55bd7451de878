package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.U16;
import static org.hlo4j.hlo.ElementType.U32;
import static org.hlo4j.hlo.ElementType.U64;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Rng.Distribution;
import org.hlo4j.hlo.op.RngBitGenerator.Algorithm;
import org.junit.jupiter.api.Test;

/** rng, rng-bit-generator, rng-get-and-update-state, stochastic-convert. */
final class RandomOpsTest {
  private static void refused(String label, String message, Op op, Shape... operands) {
    HloException refusal = assertThrows(HloException.class, () -> op.infer(operands));
    assertThat(refusal.summary()).isEqualTo(message);
    assertThat(refusal.label()).isEqualTo(label);
  }

  private static final Shape STATE = Shape.of(U64, 2);
  private static final Shape STATE3 = Shape.of(U64, 3);

  @Test
  void rngBitGeneratorResult() {
    refused(
        "",
        "rng-bit-generator: shape got u32[4], want a tuple of new state and bits",
        new RngBitGenerator(Shape.of(U32, 4), Algorithm.RNG_PHILOX),
        STATE);
    refused(
        "rng_bit_generator C1",
        "rng-bit-generator: new state got u64[3], want u64[2] as initial_state",
        RngBitGenerator.of(Algorithm.RNG_PHILOX, STATE3, Shape.of(U32, 4)),
        STATE);
    refused(
        "",
        "rng-bit-generator: bits got pred[4], want integers or floats",
        RngBitGenerator.of(Algorithm.RNG_PHILOX, STATE, Shape.of(PRED, 4)),
        STATE);
    refused(
        "",
        "rng-bit-generator: bits got u32[<=4], want static sizes",
        RngBitGenerator.of(Algorithm.RNG_PHILOX, STATE, Shape.of(U32, 4).withDynamic(List.of(0))),
        STATE);
  }

  @Test
  void rngRefusals() {
    Rng uniform = new Rng(Shape.of(F32, 2), Distribution.RNG_UNIFORM);
    Rng normal = new Rng(Shape.of(F32, 2), Distribution.RNG_NORMAL);
    refused("", "rng: a got f32[1], want a scalar", uniform, Shape.of(F32, 1), Shape.of(F32));
    refused("", "rng: sigma got f32[1], want a scalar", normal, Shape.of(F32), Shape.of(F32, 1));
    refused(
        "rng C1",
        "rng: element type of mu got f16, want f32 as the result",
        normal,
        Shape.of(F16),
        Shape.of(F32));
    refused(
        "rng C1",
        "rng: element type of b got s32, want f32 as the result",
        uniform,
        Shape.of(F32),
        Shape.of(S32));
    refused(
        "rng C2",
        "rng: element type got s32, want floats for rng_normal",
        new Rng(Shape.of(S32, 2), Distribution.RNG_NORMAL),
        Shape.of(S32),
        Shape.of(S32));
    refused(
        "",
        "rng: element type got c64, want floats, integers or pred for rng_uniform",
        new Rng(Shape.of(C64, 2), Distribution.RNG_UNIFORM),
        Shape.of(C64),
        Shape.of(C64));
    refused(
        "rng C3",
        "rng: shape got f32[<=2], want static sizes",
        new Rng(Shape.of(F32, 2).withDynamic(List.of(0)), Distribution.RNG_UNIFORM),
        Shape.of(F32),
        Shape.of(F32));
    refused("", "rng: operand count got 1, want 2", uniform, Shape.of(F32));
  }

  @Test
  void stochasticConvertRefusals() {
    Op op = new StochasticConvert(F16);
    Shape x = Shape.of(F32, 2);
    refused(
        "",
        "stochastic-convert: element type of operand got s32, want float",
        op,
        Shape.of(S32, 2),
        Shape.of(U32, 2));
    refused(
        "",
        "stochastic-convert: element type of random got s32, want unsigned",
        op,
        x,
        Shape.of(S32, 2));
    refused(
        "",
        "stochastic-convert: random got 16 bits, want 32 as operand f32[2]",
        op,
        x,
        Shape.of(U16, 2));
    refused(
        "",
        "stochastic-convert: sizes of random got u32[3], want those of operand f32[2]",
        op,
        x,
        Shape.of(U32, 3));
    refused(
        "",
        "stochastic-convert: element type of the result got pred, want an integer or float",
        new StochasticConvert(PRED),
        x,
        Shape.of(U32, 2));
  }
}
