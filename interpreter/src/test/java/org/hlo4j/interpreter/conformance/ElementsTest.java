package org.hlo4j.interpreter.conformance;

import static com.google.common.truth.Truth.assertThat;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.ElementwiseCase;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Ops that work on each element by itself: the rows of elements.txt, and what rows cannot say. */
class ElementsTest {
  static List<ElementwiseCase> rows() {
    return ElementRows.read("elements.txt");
  }

  @ParameterizedTest
  @MethodSource("rows")
  void row(ElementwiseCase row) {
    LiteralSubject.assertThat(Builds.evaluated(row)).isEqualTo(row.xla());
  }

  @Test
  void rankZeroAndSizeZero() {
    XlaBuilder b = new XlaBuilder("sizes");
    XlaOp scalar = b.constant(2f).mul(b.constant(3f));
    XlaOp empty = b.parameter(0, Shape.of(ElementType.F32, 0, 3), "empty");
    Literal zero = Literal.zeros(Shape.of(ElementType.F32, 0, 3));
    Literal result =
        Evaluators.both().run(b.build(b.tuple(scalar, empty.add(empty), empty.eq(empty))), zero);
    LiteralSubject.assertThat(result.element(0)).holds(6f);
    LiteralSubject.assertThat(result.element(1)).isEqualTo(zero);
    LiteralSubject.assertThat(result.element(2)).hasShape(Shape.of(ElementType.PRED, 0, 3));
  }

  @ParameterizedTest
  @EnumSource(names = {"BF16", "F16", "F32", "F64"})
  void absAndNegateKeepThePayloadOfNaN(ElementType type) {
    long sign = 1L << (type.bits() - 1);
    long payload = type.encode(Double.NaN) | 1;
    Literal nan = bits(type, payload, payload | sign);
    XlaBuilder b = new XlaBuilder("payload");
    XlaOp x = b.parameter(0, nan.shape(), "x");
    Literal result = Evaluators.both().run(b.build(b.tuple(x.abs(), x.neg())), nan);
    assertThat(result.element(0).bitsAt(0)).isEqualTo(payload);
    assertThat(result.element(0).bitsAt(1)).isEqualTo(payload);
    assertThat(result.element(1).bitsAt(0)).isEqualTo(payload | sign);
    assertThat(result.element(1).bitsAt(1)).isEqualTo(payload);
  }

  @ParameterizedTest
  @EnumSource(names = {"BF16", "F16", "F32", "F64"})
  void computedNaNIsTheOneQuietNaN(ElementType type) {
    Literal nan = bits(type, type.encode(Double.NaN) | 1);
    XlaBuilder b = new XlaBuilder("quiet");
    XlaOp x = b.parameter(0, nan.shape(), "x");
    Literal result = Evaluators.both().run(b.build(x.add(x)), nan);
    assertThat(result.bitsAt(0)).isEqualTo(type.encode(Double.NaN));
  }

  /** Parts are moved, and their signs flipped; what is computed from them is the one quiet NaN. */
  @Test
  void nansOfComplexNumbers() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              x = f32[2] parameter(0)
              c = c64[2] complex(x, x)
              r = f32[2] real(c)
              f = f32[2] real(x)
              i = f32[2] imag(c)
              n = c64[2] negate(c)
              m = f32[2] imag(n)
              h = c64[2] acosh(n)
              a = f32[2] imag(h)
              all = f32[10] concatenate(r, f, i, m, a), dimensions={0}
              ROOT u = u32[10] bitcast-convert(all)
            }
            """);
    Literal nans = bits(ElementType.F32, 0xffc12345L, 0x7fc00001L);
    Literal result = Evaluators.both().run(module, nans);
    assertThat(result.toLongs())
        .isEqualTo(
            new long[] {
              0xffc12345L, 0x7fc00001L,
              0xffc12345L, 0x7fc00001L,
              0xffc12345L, 0x7fc00001L,
              0x7fc12345L, 0xffc00001L,
              0x7fc00000L, 0x7fc00000L
            });
  }

  /** Of two values that are reduced together one is computed, the other only handed on. */
  @Test
  void reducedTogether() {
    Literal nans = bits(ElementType.F32, 0xffc12345L, 0xffc12345L);
    HloModule module =
        Parser.parse(
            """
            HloModule m
            body {
              a = f32[] parameter(0)
              b = f32[] parameter(1)
              c = f32[] parameter(2)
              d = f32[] parameter(3)
              p = f32[] multiply(a, c)
              all = pred[] constant(true)
              e = f32[] select(all, d, b)
              ROOT t = (f32[], f32[]) tuple(p, e)
            }
            ENTRY e {
              x = f32[2] parameter(0)
              one = f32[] constant(1)
              r = (f32[], f32[]) reduce(x, x, one, one), dimensions={0}, to_apply=body
              p = f32[] get-tuple-element(r), index=0
              e = f32[] get-tuple-element(r), index=1
              q = u32[] bitcast-convert(p)
              f = u32[] bitcast-convert(e)
              ROOT t = (u32[], u32[]) tuple(q, f)
            }
            """);
    Literal result = Evaluators.both().run(module, nans);
    assertThat(result.element(0).longAt(0)).isEqualTo(0x7fc00000L);
    assertThat(result.element(1).longAt(0)).isEqualTo(0xffc12345L);
  }

  /** Its bits are compared, since an evaluator may choose among NaNs: reduced alone, in a loop. */
  @ParameterizedTest
  @EnumSource(names = {"F8E5M2", "BF16", "F16", "F32", "F64"})
  void reducedNaNIsTheOneQuietNaN(ElementType type) {
    long nan = type.encode(Double.NaN) | 1L << (type.bits() - 1);
    Literal negative = bits(type, nan, nan | 1, nan, type.encode(1));
    XlaBuilder b = new XlaBuilder("folded");
    XlaOp x = b.parameter(0, negative.shape(), "x");
    XlaOp loop =
        b.whileLoop(
            b.tuple(b.constant(0), x, greatest(x)),
            state -> state.getTupleElement(0).lt(state.builder().constant(20)),
            state -> {
              XlaOp next = state.getTupleElement(0).add(state.builder().constant(1));
              XlaOp same = state.getTupleElement(1);
              return state.builder().tuple(next, same, greatest(same));
            });
    ElementType whole = unsigned(type.bits());
    Literal result =
        Evaluators.both()
            .run(
                b.build(
                    b.tuple(
                        greatest(x).bitcastConvertType(whole),
                        loop.getTupleElement(2).bitcastConvertType(whole),
                        loop.getTupleElement(1).bitcastConvertType(whole))),
                negative);
    for (int i = 0; i < 2; i++) {
      assertThat(result.element(i).bitsAt(0)).isEqualTo(type.encode(Double.NaN));
    }
    for (int i = 0; i < negative.elementCount(); i++) {
      assertThat(result.element(2).bitsAt(i)).isEqualTo(negative.bitsAt(i));
    }
  }

  private static XlaOp greatest(XlaOp x) {
    Literal least = Literal.of(x.arrayShape().elementType(), Double.NEGATIVE_INFINITY);
    return x.reduce(x.builder().constant(least), XlaOp::max, 0);
  }

  private static ElementType unsigned(int bits) {
    return switch (bits) {
      case 8 -> ElementType.U8;
      case 16 -> ElementType.U16;
      case 32 -> ElementType.U32;
      default -> ElementType.U64;
    };
  }

  /** A vector of these components; complex types take two for each element. */
  static Literal bits(ElementType type, long... bits) {
    int parts = type.isComplex() ? 2 : 1;
    LiteralBuilder literal = new LiteralBuilder(Shape.of(type, bits.length / parts));
    for (int i = 0; i < bits.length; i++) {
      literal.setBits(i, bits[i]);
    }
    return literal.build();
  }

  @Test
  void selectMovesBits() {
    Literal nan = bits(ElementType.F32, 0x7fc00001L, 0xffc00001L);
    XlaBuilder b = new XlaBuilder("select");
    XlaOp x = b.parameter(0, nan.shape(), "x");
    XlaOp pred = b.constant(new boolean[] {true, false});
    XlaOp whole = b.constant(true).select(x, x.zerosLike());
    Literal result = Evaluators.both().run(b.build(b.tuple(pred.select(x, x), whole)), nan);
    for (Literal each : result.elements()) {
      assertThat(each.bitsAt(0)).isEqualTo(0x7fc00001L);
      assertThat(each.bitsAt(1)).isEqualTo(0xffc00001L);
    }
  }

  @Test
  void clampWithScalarBounds() {
    XlaBuilder b = new XlaBuilder("clamp");
    XlaOp x = b.constant(new float[][] {{-1, 0.5f}, {2, Float.NaN}});
    XlaOp clamped = x.clamp(b.constant(0f), b.constant(1f));
    LiteralSubject.assertThat(Evaluators.both().run(b.build(clamped)))
        .holds(new float[][] {{0, 0.5f}, {1, Float.NaN}});
  }

  @Test
  void conjugate() {
    XlaBuilder b = new XlaBuilder("conj");
    XlaOp x = b.constant(ElementType.C64, new double[][] {{1, 2}, {0, -0.0}});
    LiteralSubject.assertThat(Evaluators.both().run(b.build(x.conj())))
        .holds(new double[][] {{1, -2}, {0, 0}});
  }

  @Test
  void broadcastingIsSeenByTheValues() {
    XlaBuilder b = new XlaBuilder("outer");
    XlaOp column = b.constant(new int[][] {{1}, {2}});
    XlaOp row = b.constant(new int[] {10, 20, 30});
    XlaOp outer = column.mul(row, Dims.of(1));
    LiteralSubject.assertThat(Evaluators.both().run(b.build(outer)))
        .holds(new int[][] {{10, 20, 30}, {20, 40, 60}});
  }
}
