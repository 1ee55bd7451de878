package org.hlo4j.interpreter.library;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F4E2M1FN;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.F8E4M3FN;
import static org.hlo4j.hlo.ElementType.F8E8M0FNU;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S64;
import static org.hlo4j.hlo.ElementType.S8;
import static org.hlo4j.hlo.ElementType.U16;
import static org.hlo4j.hlo.ElementType.U32;
import static org.hlo4j.hlo.ElementType.U64;
import static org.hlo4j.hlo.ElementType.U8;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Arithmetic;
import org.hlo4j.builder.lib.Comparators;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.builder.lib.Quantize;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;

/** Arithmetic, Comparators, Constants and Quantize of the client libraries. */
class LibraryTest {
  private static Literal constant(
      BiFunction<XlaBuilder, ElementType, XlaOp> function, ElementType type) {
    XlaBuilder b = new XlaBuilder("constant");
    return Evaluators.both().run(b.build(function.apply(b, type)));
  }

  private static void floats(
      ElementType type, double epsilon, double min, double lowest, double normal, double max) {
    assertThat(constant(Constants::epsilon, type).doubleAt(0)).isEqualTo(epsilon);
    assertThat(constant(Constants::minValue, type).doubleAt(0)).isEqualTo(min);
    assertThat(constant(Constants::minFiniteValue, type).doubleAt(0)).isEqualTo(lowest);
    assertThat(constant(Constants::minPositiveNormalValue, type).doubleAt(0)).isEqualTo(normal);
    assertThat(constant(Constants::maxFiniteValue, type).doubleAt(0)).isEqualTo(max);
  }

  @Test
  void floatConstants() {
    double least = Double.NEGATIVE_INFINITY;
    floats(F64, 0x1p-52, least, -Double.MAX_VALUE, Double.MIN_NORMAL, Double.MAX_VALUE);
    floats(F32, 0x1p-23, least, -Float.MAX_VALUE, Float.MIN_NORMAL, Float.MAX_VALUE);
    floats(F16, 0x1p-10, least, -65504, 0x1p-14, 65504);
    floats(BF16, 0x1p-7, least, -0x1.fep127, 0x1p-126, 0x1.fep127);
    floats(F8E4M3FN, 0.125, -448, -448, 0x1p-6, 448);
    floats(F4E2M1FN, 0.5, -6, -6, 1, 6);
    floats(F8E8M0FNU, 1, 0x1p-127, 0x1p-127, 0x1p-127, 0x1p127);
    assertThat(constant(Constants::maxValue, F32).doubleAt(0)).isPositiveInfinity();
    assertThat(constant(Constants::maxValue, F8E4M3FN).doubleAt(0)).isEqualTo(448);
    assertThat(constant(Constants::nanValue, F16).doubleAt(0)).isNaN();
  }

  private static void integers(ElementType type, long min, long max) {
    assertThat(constant(Constants::minValue, type).longAt(0)).isEqualTo(min);
    assertThat(constant(Constants::maxValue, type).longAt(0)).isEqualTo(max);
  }

  @Test
  void otherConstants() {
    integers(S8, -128, 127);
    integers(U8, 0, 255);
    integers(S64, Long.MIN_VALUE, Long.MAX_VALUE);
    integers(U64, 0, -1);
    integers(PRED, 0, 1);
    LiteralSubject.assertThat(constant(Constants::one, PRED)).holds(true);
    LiteralSubject.assertThat(constant(Constants::zero, C64)).isEqualTo(Literal.complex(C64, 0, 0));
    LiteralSubject.assertThat(constant(Constants::one, C64)).isEqualTo(Literal.complex(C64, 1, 0));
    LiteralSubject.assertThat(
            Accuracy.run(in -> Constants.scalarLike(in.get(0), 2.5), Literal.of(new float[] {1})))
        .holds(2.5f);
  }

  private static void refused(String message, Function<XlaBuilder, Object> program) {
    HloException refusal =
        assertThrows(HloException.class, () -> program.apply(new XlaBuilder("bad")));
    assertThat(refusal.summary()).isEqualTo(message);
  }

  @Test
  void constantsThatTypesLackAreRefused() {
    refused("epsilon: element type got s32, want a float", b -> Constants.epsilon(b, S32));
    refused(
        "minPositiveNormalValue: element type got c64, want a float",
        b -> Constants.minPositiveNormalValue(b, C64));
    refused(
        "nanValue: element type got f4e2m1fn, want one that has NaN",
        b -> Constants.nanValue(b, F4E2M1FN));
    refused(
        "minFiniteValue: element type got c64, want one that is ordered, not complex",
        b -> Constants.minValue(b, C64));
    refused(
        "maxFiniteValue: element type got c64, want one that is ordered, not complex",
        b -> Constants.maxValue(b, C64));
  }

  private static Literal called(
      BiFunction<ElementType, XlaBuilder, HloComputation> function, ElementType type, int... of) {
    return Accuracy.run(
        in -> {
          XlaBuilder b = in.get(0).builder();
          return b.call(function.apply(type, b), in.get(0), in.get(1));
        },
        Literal.of(type, of[0]),
        Literal.of(type, of[1]));
  }

  @Test
  void scalarComputations() {
    LiteralSubject.assertThat(called(Arithmetic::createScalarAddComputation, S32, 6, 3)).holds(9);
    LiteralSubject.assertThat(called(Arithmetic::createScalarMultiplyComputation, F32, 6, 3))
        .holds(18f);
    LiteralSubject.assertThat(called(Arithmetic::createScalarGeComputation, S32, 6, 3)).holds(true);
    LiteralSubject.assertThat(called(Arithmetic::createScalarMaxComputation, S32, 6, 3)).holds(6);
    LiteralSubject.assertThat(called(Arithmetic::createScalarMinComputation, S32, 6, 3)).holds(3);
    LiteralSubject.assertThat(called(Arithmetic::createScalarAndComputation, S32, 6, 3)).holds(2);
    LiteralSubject.assertThat(called(Arithmetic::createScalarOrComputation, S32, 6, 3)).holds(7);
    LiteralSubject.assertThat(
            called(Arithmetic::createScalarIdentityWithZeroComputation, S32, 6, 3))
        .holds(7);
    LiteralSubject.assertThat(
            called(Arithmetic::createScalarIdentityWithZeroComputation, F32, 6, 3))
        .holds(9f);
    XlaBuilder b = new XlaBuilder("names");
    assertThat(Arithmetic.createScalarAddComputation(F32, b).name()).isEqualTo("add_f32");
    assertThat(Arithmetic.createScalarOrComputation(PRED, b).name()).isEqualTo("or");
  }

  private static Literal applied(Function<XlaOp, XlaOp> function, Object operand) {
    return Accuracy.run(in -> function.apply(in.get(0)), Literal.of(operand));
  }

  @Test
  void any() {
    LiteralSubject.assertThat(applied(Arithmetic::any, new boolean[][] {{false}, {true}}))
        .holds(true);
    LiteralSubject.assertThat(applied(Arithmetic::any, new boolean[] {false, false})).holds(false);
    LiteralSubject.assertThat(applied(Arithmetic::any, new boolean[] {})).holds(false);
  }

  private static void argMax(long want, double... values) {
    LiteralSubject.assertThat(applied(x -> Arithmetic.argMax(x, S64, 0), values)).holds(want);
  }

  private static void argMin(long want, double... values) {
    LiteralSubject.assertThat(applied(x -> Arithmetic.argMin(x, S64, 0), values)).holds(want);
  }

  /** The first of equals; NaN only where there is nothing else. */
  @Test
  void argMinMax() {
    double nan = Double.NaN;
    double inf = Double.POSITIVE_INFINITY;
    argMax(1, 1, 3, 2, 3);
    argMin(0, 1, 3, 2, 1);
    argMax(2, nan, 1, 3, nan);
    argMin(1, nan, 1, 3, nan);
    argMax(0, 0.0, -0.0);
    argMax(0, -inf, nan);
    argMax(1, nan, -inf);
    argMax(1, nan, -inf, -inf);
    argMin(1, nan, inf);
    argMin(2, nan, nan, inf);
    argMax(0, nan, nan);
    argMin(0, nan, nan);
    argMax(0);
    argMax(1, -inf, -1e308);
    LiteralSubject.assertThat(
            applied(x -> Arithmetic.argMax(x, U32, 1), new int[][] {{1, 5, 5}, {-1, -2, -3}}))
        .isEqualTo(Literal.of(U32, new int[] {1, 0}));
    LiteralSubject.assertThat(
            applied(x -> Arithmetic.argMinMax(x, S32, 0, true), new int[][] {{1, 5}, {0, 7}}))
        .holds(new int[] {1, 0});
  }

  @Test
  void argMaxOfOthersIsRefused() {
    refused(
        "argMax: dimension got 1, want one of f32[2]",
        b -> Arithmetic.argMax(b.zeros(Shape.of(F32, 2)), S32, 1));
    refused(
        "argMin: element type got c64, want an ordered one",
        b -> Arithmetic.argMin(b.zeros(Shape.of(C64, 2)), S32, 0));
    refused(
        "argMax: output type got f32, want an integer type",
        b -> Arithmetic.argMax(b.zeros(Shape.of(F32, 2)), F32, 0));
  }

  private static Literal sorted(
      BiFunction<List<ElementType>, XlaBuilder, HloComputation> comparator,
      Object keys,
      Object values) {
    Literal[] operands = {Literal.of(keys), Literal.of(values)};
    List<ElementType> types = List.of(operands[0].elementType(), operands[1].elementType());
    return Accuracy.run(
        in -> {
          XlaBuilder b = in.get(0).builder();
          return b.sort(in, comparator.apply(types, b), -1, true);
        },
        operands);
  }

  @Test
  void comparators() {
    float[] keys = {Float.NaN, 0f, -0f, 2, Float.NEGATIVE_INFINITY};
    int[] values = {0, 1, 2, 3, 4};
    LiteralSubject.assertThat(
            sorted(Comparators::createScalarLtComputation, keys, values).element(1))
        .holds(new int[] {4, 2, 1, 3, 0});
    LiteralSubject.assertThat(
            sorted(Comparators::createScalarGtComputation, keys, values).element(1))
        .holds(new int[] {0, 3, 1, 2, 4});
  }

  /** Upwards by the first, of equals downwards by the second. */
  @Test
  void comparatorOfSeveralKeys() {
    Literal got =
        sorted(
            (types, b) ->
                Comparators.createScalarComparisonComputation(
                    "by-two",
                    types,
                    List.of(Optional.of(XlaOp::ltTotalOrder), Optional.of(XlaOp::gtTotalOrder)),
                    b),
            new int[] {2, 1, 2, 1},
            new float[] {1, 2, 3, 4});
    LiteralSubject.assertThat(got.element(0)).holds(new int[] {1, 1, 2, 2});
    LiteralSubject.assertThat(got.element(1)).holds(new float[] {4, 2, 3, 1});
    Literal bySecond =
        sorted(
            (types, b) ->
                Comparators.createScalarComparisonComputation(
                    "by-second", types, List.of(Optional.empty(), Optional.of(XlaOp::lt)), b),
            new int[] {2, 1, 2, 1},
            new float[] {1, 4, 3, 2});
    LiteralSubject.assertThat(bySecond.element(0)).holds(new int[] {2, 1, 2, 1});
  }

  @Test
  void comparatorsWithoutOrderAreRefused() {
    refused(
        "comparator compare-less-than: got no order, want one at least",
        b -> Comparators.createScalarLtComputation(List.of(), b));
    refused(
        "comparator c: orders got 0, want one or none for each of the 1 arrays",
        b -> Comparators.createScalarComparisonComputation("c", List.of(S32), List.of(), b));
  }

  @Test
  void packs() {
    assertThat(Quantize.packToUint32(U8, 1, 2, 3, 4, 255, 256))
        .asList()
        .containsExactly(0x01020304, 0xff000000)
        .inOrder();
    assertThat(Quantize.packToUint32(U16, 1, 65535)).asList().containsExactly(0x0001ffff);
    assertThat(Quantize.packToUint32(U16)).isEmpty();
  }

  private static Literal dequantized(
      ElementType type, boolean transpose, float max, int[][] words) {
    return Accuracy.run(
        in -> Quantize.dequantize(in.get(0), type, new Quantize.QuantizedRange(0, max), transpose),
        Literal.of(U32, words));
  }

  @Test
  void dequantizes() {
    int[][] bytes = {{0x01020304, 0x05060708}, {0x10, 0x20ff0000}};
    LiteralSubject.assertThat(dequantized(U8, false, 255, bytes))
        .holds(new float[][] {{1, 2, 3, 4, 5, 6, 7, 8}, {0, 0, 0, 16, 32, 255, 0, 0}});
    LiteralSubject.assertThat(dequantized(U16, true, 65535, new int[][] {{0x00010002}, {7}}))
        .holds(new float[][] {{1, 0}, {2, 7}});
    LiteralSubject.assertThat(
            Accuracy.run(
                in -> Quantize.dequantize(in.get(0), U8, new Quantize.QuantizedRange(-1, 1), false),
                Literal.of(U32, new int[] {0x00ff8000})))
        .holds(new float[] {-1, 1, 0x1p-7f, -1});
  }

  @Test
  void otherQuantizationIsRefused() {
    Quantize.QuantizedRange range = new Quantize.QuantizedRange(0, 1);
    refused(
        "dequantize: input got s32[2], want u32 of rank 1 at least",
        b -> Quantize.dequantize(b.zeros(Shape.of(S32, 2)), U8, range, false));
    refused(
        "dequantize: type of the integers got s8, want u8 or u16",
        b -> Quantize.dequantize(b.zeros(Shape.of(U32, 2)), S8, range, false));
    refused(
        "packToUint32: type of the integers got u32, want u8 or u16",
        b -> Quantize.packToUint32(U32, 1));
  }
}
