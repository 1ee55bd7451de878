package org.hlo4j.interpreter.library;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.U32;
import static org.hlo4j.hlo.ElementType.U64;
import static org.hlo4j.hlo.ElementType.U8;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.random.Prng;
import org.hlo4j.builder.lib.random.RngOutput;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.RngBitGenerator.Algorithm;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;

class PrngTest {
  private static final Literal KEY = Literal.of(U64, 1L);
  private static final Literal COUNTER = Literal.of(U64, 2L);
  private static final Literal WIDE_COUNTER = Literal.of(U64, new long[] {2, 1});

  private static XlaOp tuple(RngOutput output) {
    return output.value().builder().tuple(output.state(), output.value());
  }

  private static Literal threeFry(Shape.Array shape, Literal counter) {
    return Accuracy.run(
        in -> tuple(Prng.threeFryBitGenerator(in.get(0), in.get(1), shape)), KEY, counter);
  }

  private static Literal philox(Shape.Array shape, Literal counter) {
    return Accuracy.run(
        in -> tuple(Prng.philoxBitGenerator(in.get(0), in.get(1), shape)), KEY, counter);
  }

  /** Bits of XLA itself, from JAX 0.10: numerics.md. */
  @Test
  void bitsOfXla() {
    Literal threeFry = threeFry(Shape.of(U32, 4), COUNTER);
    LiteralSubject.assertThat(threeFry.element(0)).holds(4L);
    LiteralSubject.assertThat(threeFry.element(1))
        .holds(new long[] {43444564L, 2150618427L, 3979645651L, 3745730563L});
    Literal philox = philox(Shape.of(U32, 4), WIDE_COUNTER);
    LiteralSubject.assertThat(philox.element(0)).holds(new long[] {3, 1});
    LiteralSubject.assertThat(philox.element(1))
        .holds(new long[] {2100602697L, 2847456232L, 2074354647L, 800269529L});
  }

  /** The op's bits of the same key and counter, for shapes whose pairing differs. */
  @Test
  void bitsOfRngBitGenerator() {
    for (Shape.Array shape :
        List.of(
            Shape.of(U32),
            Shape.of(U32, 5),
            Shape.of(U32, 3, 4),
            Shape.of(U32, 3, 5, 1),
            Shape.of(U32, 0),
            Shape.of(U64, 3),
            Shape.of(U64, 2, 3),
            Shape.of(U64),
            Shape.of(U8, 7))) {
      Literal threeFry = threeFry(shape, COUNTER);
      Literal op = bitsOfOp(Algorithm.RNG_THREE_FRY, new long[] {1, 2}, shape);
      LiteralSubject.assertThat(threeFry.element(1)).isEqualTo(op.element(1));
      assertThat(threeFry.element(0).longAt(0)).isEqualTo(op.element(0).longAt(1));
      Literal philox = philox(shape, WIDE_COUNTER);
      Literal wide = bitsOfOp(Algorithm.RNG_PHILOX, new long[] {1, 2, 1}, shape);
      LiteralSubject.assertThat(philox.element(1)).isEqualTo(wide.element(1));
      assertThat(philox.element(0).longAt(0)).isEqualTo(wide.element(0).longAt(1));
    }
  }

  private static Literal bitsOfOp(Algorithm algorithm, long[] state, Shape.Array shape) {
    return Accuracy.run(
        in -> in.get(0).builder().rngBitGenerator(algorithm, in.get(0), shape),
        Literal.of(U64, state));
  }

  @Test
  void philoxCountsBeyond64Bits() {
    Literal last = Literal.of(U64, new long[] {-1, 5});
    Literal wide = bitsOfOp(Algorithm.RNG_PHILOX, new long[] {1, -1, 5}, Shape.of(U32, 9));
    Literal got = philox(Shape.of(U32, 9), last);
    LiteralSubject.assertThat(got.element(1)).isEqualTo(wide.element(1));
    LiteralSubject.assertThat(got.element(0)).holds(new long[] {2, 6});
    LiteralSubject.assertThat(
            Accuracy.run(
                in -> Prng.philoxIncreaseCounter(in.get(0), in.get(1)), last, Literal.of(U64, 3L)))
        .holds(new long[] {2, 6});
  }

  /** Philox of the counter (low word, 0, high word, 0) under XLA's fixed key. */
  @Test
  void scrambledKey() {
    Literal got =
        Accuracy.run(
            in -> tuple(Prng.scramblePhiloxKey(in.get(0))), Literal.of(U64, (7L << 32) | 9));
    long scrambler = (0x02461e29L << 32) | 0x3ec8f720L;
    Literal words = bitsOfOp(Algorithm.RNG_PHILOX, new long[] {scrambler, 9, 7}, Shape.of(U64, 2));
    assertThat(got.element(1).longAt(0)).isEqualTo(words.element(1).longAt(0));
    LiteralSubject.assertThat(got.element(0)).holds(new long[] {0, words.element(1).longAt(1)});
  }

  private static Literal uniform(ElementType type, double low, double high, long count) {
    return Accuracy.run(
            in -> {
              XlaBuilder b = in.get(0).builder();
              return tuple(
                  Prng.uniformFloatingPointDistribution(
                      in.get(0),
                      in.get(1),
                      Prng::threeFryBitGenerator,
                      b.constant(type, low),
                      b.constant(type, high),
                      Shape.of(type, count)));
            },
            KEY,
            COUNTER)
        .element(1);
  }

  /** The upper 23 bits over 2^23; of f16 the lower 10 bits over 2^10. */
  @Test
  void uniformFloats() {
    LiteralSubject.assertThat(uniform(F32, 0, 1, 2))
        .holds(new double[] {(43444564 >>> 9) * 0x1p-23, (2150618427L >>> 9) * 0x1p-23});
    LiteralSubject.assertThat(uniform(F16, 0, 1, 2))
        .holds(new double[] {(43444564 & 1023) * 0x1p-10, (2150618427L & 1023) * 0x1p-10});
    double[] many = uniform(F64, -3, 5, 20000).toDoubles();
    assertThat(Arrays.stream(many).min().orElseThrow()).isAtLeast(-3.0);
    assertThat(Arrays.stream(many).max().orElseThrow()).isLessThan(5.0);
    assertThat(Arrays.stream(many).average().orElseThrow()).isWithin(0.05).of(1);
  }

  private static long[] integers(ElementType type, Object low, Object high, long count) {
    return Accuracy.run(
            in -> {
              XlaBuilder b = in.get(0).builder();
              return tuple(
                  Prng.uniformIntDistribution(
                      in.get(0),
                      in.get(1),
                      Prng::threeFryBitGenerator,
                      b.constant(type, low),
                      b.constant(type, high),
                      Shape.of(type, count)));
            },
            KEY,
            COUNTER)
        .element(1)
        .toLongs();
  }

  @Test
  void uniformIntegers() {
    assertThat(integers(U32, 10, 17, 2))
        .asList()
        .containsExactly(10 + 43444564L % 7, 10 + 2150618427L % 7)
        .inOrder();
    assertThat(integers(S32, -5, 5, 2))
        .asList()
        .containsExactly(-5 + 43444564L % 10, -5 + 2150618427L % 10)
        .inOrder();
    assertThat(integers(S32, Integer.MIN_VALUE, Integer.MAX_VALUE, 2))
        .asList()
        .containsExactly(43444564L + Integer.MIN_VALUE, 2150618427L + Integer.MIN_VALUE)
        .inOrder();
  }

  private static double[] normal(Shape.Array shape) {
    return Accuracy.run(
            in ->
                tuple(
                    Prng.normalFloatingPointDistribution(
                        in.get(0), in.get(1), Prng::threeFryBitGenerator, shape)),
            KEY,
            COUNTER)
        .element(1)
        .toDoubles();
  }

  /** sin and cos of 2 pi v, times sqrt(-2 log u), of neighbours u and v. */
  @Test
  void normalFloats() {
    double u = (43444564 >>> 9) * 0x1p-23;
    double v = (2150618427L >>> 9) * 0x1p-23;
    double radius = Math.sqrt(-2 * Math.log(u));
    double[] pair = normal(Shape.of(F32, 2));
    assertThat(pair[0]).isWithin(1e-6).of(Math.sin(2 * Math.PI * v) * radius);
    assertThat(pair[1]).isWithin(1e-6).of(Math.cos(2 * Math.PI * v) * radius);
    double[] many = normal(Shape.of(F64, 101, 99));
    double square = Arrays.stream(many).map(value -> value * value).average().orElseThrow();
    assertThat(Arrays.stream(many).average().orElseThrow()).isWithin(0.05).of(0);
    assertThat(square).isWithin(0.05).of(1);
    assertThat(normal(Shape.of(F16)).length).isEqualTo(1);
  }

  private static void refused(String message, Function<XlaBuilder, RngOutput> program) {
    HloException refusal =
        assertThrows(HloException.class, () -> program.apply(new XlaBuilder("bad")));
    assertThat(refusal.summary()).isEqualTo(message);
  }

  @Test
  void otherTypesAreRefused() {
    refused(
        "threeFryBitGenerator: key got u32[], want u64[]",
        b -> Prng.threeFryBitGenerator(b.constant(U32, 1), b.constant(KEY), Shape.of(U32, 2)));
    refused(
        "philoxBitGenerator: initialState got u64[], want u64[2]",
        b -> Prng.philoxBitGenerator(b.constant(KEY), b.constant(KEY), Shape.of(U32, 2)));
    refused(
        "threeFryBitGenerator: element type got c64, want an integer or float type of 4 bits at"
            + " least",
        b -> Prng.threeFryBitGenerator(b.constant(KEY), b.constant(KEY), Shape.of(C64, 2)));
    refused(
        "normalFloatingPointDistribution: element type got bf16, want f16, f32 or f64",
        b ->
            Prng.normalFloatingPointDistribution(
                b.constant(KEY), b.constant(KEY), Prng::threeFryBitGenerator, Shape.of(BF16, 2)));
    refused(
        "uniformIntDistribution: element type got u8, want s32, u32, s64 or u64",
        b ->
            Prng.uniformIntDistribution(
                b.constant(KEY),
                b.constant(KEY),
                Prng::threeFryBitGenerator,
                b.constant(U8, 1),
                b.constant(U8, 9),
                Shape.of(U8, 2)));
    refused(
        "uniformFloatingPointDistribution: maxval got f64[], want f32[]",
        b ->
            Prng.uniformFloatingPointDistribution(
                b.constant(KEY),
                b.constant(KEY),
                Prng::threeFryBitGenerator,
                b.constant(0f),
                b.constant(1.0),
                Shape.of(F32, 2)));
  }
}
