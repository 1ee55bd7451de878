package org.hlo4j.interpreter.library;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.F8E5M2;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.math.XlaMath;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;

/** Functions of {@link XlaMath} at poles, zeros, infinities and NaN; types they take and refuse. */
class MathSpecialValuesTest {
  private static final double INF = Double.POSITIVE_INFINITY;
  private static final double NAN = Double.NaN;
  private static final double HALF_PI = Math.PI / 2;

  /** Arguments and result alternately: bit for bit, so that 0 is not -0, in f32 and f64. */
  private static void row(String name, UnaryOperator<XlaOp> function, double... pairs) {
    for (ElementType type : List.of(F32, F64)) {
      double[] in = every(2, 0, pairs);
      double[] want = every(2, 1, pairs);
      Literal got = Accuracy.run(x -> function.apply(x.get(0)), Accuracy.vector(type, in));
      for (int i = 0; i < in.length; i++) {
        assertWithMessage("%s(%s) in %s", name, in[i], type)
            .that(got.doubleAt(i))
            .isEqualTo(type.round(want[i]));
      }
    }
  }

  private static double[] every(int step, int from, double... values) {
    double[] result = new double[values.length / step];
    Arrays.setAll(result, i -> values[i * step + from]);
    return result;
  }

  @Test
  void squaresOfComplexNumbersHaveNoNaNBesideOneInfinity() {
    for (ElementType type : List.of(ElementType.C128, C64)) {
      double max = type == C64 ? Float.MAX_VALUE : Double.MAX_VALUE;
      double[][] rows = {
        {-max, INF, -INF, -INF},
        {INF, 2, INF, INF},
        {max, max, 0, INF},
        {INF, INF, NAN, INF},
        {3, -4, -7, -24},
        {0x1p-600, -0x1p-600, 0, -0.0},
        {0, -0.0, 0, -0.0}
      };
      for (double[] row : rows) {
        Literal got =
            Accuracy.run(x -> XlaMath.square(x.get(0)), Literal.complex(type, row[0], row[1]));
        assertWithMessage("square%s in %s", Arrays.toString(row), type)
            .that(got)
            .isEqualTo(Literal.complex(type, row[2], row[3]));
      }
    }
  }

  @Test
  void unary() {
    row("erfc", XlaMath::erfc, 0, 1, -0.0, 1, INF, 0, -INF, 2, NAN, NAN, 1000, 0, -1000, 2);
    row("erfInv", XlaMath::erfInv, 0, 0, -0.0, -0.0, 1, INF, -1, -INF, 1.5, NAN, NAN, NAN);
    row("lgamma", XlaMath::lgamma, 0, INF, -0.0, INF, 1, 0, 2, 0, -3, INF, INF, INF, -INF, INF);
    row("lgamma", XlaMath::lgamma, NAN, NAN, -1e30, INF);
    row("digamma", XlaMath::digamma, 0, NAN, -0.0, NAN, -3, NAN, INF, INF, -INF, NAN, NAN, NAN);
    row("besselI0e", XlaMath::besselI0e, 0, 1, -0.0, 1, INF, 0, -INF, 0, NAN, NAN);
    row("besselI1e", XlaMath::besselI1e, 0, 0, -0.0, -0.0, INF, 0, -INF, -0.0, NAN, NAN);
    row("acos", XlaMath::acos, 1, 0, 0, HALF_PI, -1, Math.PI, 2, NAN, INF, NAN, NAN, NAN);
    row("asin", XlaMath::asin, 0, 0, -0.0, -0.0, 1, HALF_PI, -1, -HALF_PI, 2, NAN, NAN, NAN);
    row("atan", XlaMath::atan, 0, 0, -0.0, -0.0, INF, HALF_PI, -INF, -HALF_PI, NAN, NAN);
    row("acosh", XlaMath::acosh, 1, 0, INF, INF, 0.5, NAN, -INF, NAN, NAN, NAN);
    row("asinh", XlaMath::asinh, 0, 0, -0.0, -0.0, INF, INF, -INF, -INF, NAN, NAN);
    row("atanh", XlaMath::atanh, 0, 0, -0.0, -0.0, 1, INF, -1, -INF, 2, NAN, NAN, NAN);
    row("sinh", XlaMath::sinh, 0, 0, -0.0, -0.0, INF, INF, -INF, -INF, 800, INF, NAN, NAN);
    row("cosh", XlaMath::cosh, 0, 1, -0.0, 1, INF, INF, -INF, INF, 800, INF, NAN, NAN);
    row("roundToEven", XlaMath::roundToEven, 0.5, 0, 1.5, 2, -0.5, -0.0, INF, INF, NAN, NAN);
    row("reciprocal", XlaMath::reciprocal, 0, INF, -0.0, -INF, 4, 0.25, INF, 0, NAN, NAN);
    row("square", XlaMath::square, -3, 9, -INF, INF, NAN, NAN);
  }

  /** Finite where cosh and sinh are, though e^x is not. */
  @Test
  void hyperbolicFunctionsDoNotOverflowEarly() {
    Literal x = Accuracy.vector(F64, 710);
    Literal got = Accuracy.run(in -> XlaMath.cosh(in.get(0)), x);
    assertThat(got.doubleAt(0)).isWithin(1e294).of(1.1169973830808557e308);
  }

  private static void row2(String name, Function<List<XlaOp>, XlaOp> function, double... triples) {
    for (ElementType type : List.of(F32, F64)) {
      double[] first = every(3, 0, triples);
      double[] second = every(3, 1, triples);
      double[] want = every(3, 2, triples);
      Literal got =
          Accuracy.run(function, Accuracy.vector(type, first), Accuracy.vector(type, second));
      for (int i = 0; i < want.length; i++) {
        assertWithMessage("%s(%s, %s) in %s", name, first[i], second[i], type)
            .that(got.doubleAt(i))
            .isEqualTo(type.round(want[i]));
      }
    }
  }

  @Test
  void binary() {
    row2(
        "igamma",
        in -> XlaMath.igamma(in.get(0), in.get(1)),
        1,
        0,
        0,
        1,
        INF,
        1,
        0,
        1,
        NAN,
        -1,
        1,
        NAN,
        1,
        -1,
        NAN,
        INF,
        1,
        0,
        INF,
        INF,
        NAN,
        NAN,
        1,
        NAN,
        1,
        NAN,
        NAN);
    row2(
        "igammac",
        in -> XlaMath.igammac(in.get(0), in.get(1)),
        1,
        0,
        1,
        1,
        INF,
        0,
        0,
        1,
        NAN,
        1,
        -1,
        NAN,
        INF,
        1,
        1);
    row2(
        "igammaGradA",
        in -> XlaMath.igammaGradA(in.get(0), in.get(1)),
        1,
        0,
        0,
        1,
        INF,
        0,
        0,
        1,
        NAN);
    row2(
        "zeta",
        in -> XlaMath.zeta(in.get(0), in.get(1)),
        1,
        2,
        INF,
        0.5,
        2,
        NAN,
        2,
        0,
        INF,
        2,
        -3,
        INF,
        2.5,
        -0.5,
        NAN,
        3,
        INF,
        0,
        INF,
        2,
        0,
        INF,
        1,
        1,
        NAN,
        1,
        NAN,
        2,
        NAN,
        NAN);
    row2(
        "polygamma",
        in -> XlaMath.polygamma(in.get(0), in.get(1)),
        -1,
        2,
        NAN,
        0.5,
        2,
        NAN,
        2,
        NAN,
        NAN);
    row2(
        "nextAfter",
        in -> XlaMath.nextAfter(in.get(0), in.get(1)),
        0,
        -0.0,
        -0.0,
        -0.0,
        0,
        0,
        2,
        2,
        2,
        INF,
        INF,
        INF,
        NAN,
        1,
        NAN,
        1,
        NAN,
        NAN);
  }

  @Test
  void betaAtItsBounds() {
    double[] a = {1, 1, 0, 1, 2, 2, NAN};
    double[] b = {2, 2, 1, -1, 2, 2, 1};
    double[] x = {0, 1, 0.5, 0.5, -0.1, 1.1, 0.5};
    Literal got =
        Accuracy.run(
            in -> XlaMath.regularizedIncompleteBeta(in.get(0), in.get(1), in.get(2)),
            Accuracy.vector(F64, a),
            Accuracy.vector(F64, b),
            Accuracy.vector(F64, x));
    LiteralSubject.assertThat(got).holds(new double[] {0, 1, NAN, NAN, NAN, NAN, NAN});
  }

  @Test
  void nextAfterIsNeighbour() {
    float[] from = {1, 1, -1, 0, 0, Float.MAX_VALUE, Float.MIN_VALUE, INF32};
    float[] to = {2, 0, 0, 1, -1, INF32, 0, 0};
    float[] want = new float[from.length];
    for (int i = 0; i < want.length; i++) {
      want[i] = Math.nextAfter(from[i], to[i]);
    }
    Literal got =
        Accuracy.run(
            in -> XlaMath.nextAfter(in.get(0), in.get(1)), Literal.of(from), Literal.of(to));
    LiteralSubject.assertThat(got).holds(want);
    Literal narrow =
        Accuracy.run(
            in -> XlaMath.nextAfter(in.get(0), in.get(1)),
            Accuracy.vector(BF16, 1, -1, 0),
            Accuracy.vector(BF16, 2, -2, -1));
    LiteralSubject.assertThat(narrow).holds(new double[] {1 + 0x1p-7, -1 - 0x1p-7, -0x1p-133});
  }

  private static final float INF32 = Float.POSITIVE_INFINITY;

  @Test
  void classification() {
    double[] x = {INF, -INF, NAN, 0, -0.0, 1};
    predicates(XlaMath::isPosInf, x, true, false, false, false, false, false);
    predicates(XlaMath::isNegInf, x, false, true, false, false, false, false);
    predicates(XlaMath::isInf, x, true, true, false, false, false, false);
    predicates(XlaMath::isNan, x, false, false, true, false, false, false);
    predicates(XlaMath::isNegZero, x, false, false, false, false, true, false);
  }

  private static void predicates(UnaryOperator<XlaOp> function, double[] x, boolean... want) {
    for (ElementType type : List.of(F8E5M2, BF16, F16, F32, F64)) {
      Literal got = Accuracy.run(in -> function.apply(in.get(0)), Accuracy.vector(type, x));
      LiteralSubject.assertThat(got).holds(want);
    }
  }

  /** f16 and bf16 are computed with more digits than f32, and rounded once. */
  @Test
  void narrowTypesAreRoundedOnce() {
    for (ElementType type : List.of(F16, BF16)) {
      Literal x = Accuracy.vector(type, 0.1, 0.7, 3, 12.5);
      Literal wide = Accuracy.vector(F32, x.toDoubles());
      Literal exact = Accuracy.run(in -> XlaMath.lgamma(in.get(0)), wide);
      Literal got = Accuracy.run(in -> XlaMath.lgamma(in.get(0)), x);
      LiteralSubject.assertThat(got).isEqualTo(Accuracy.vector(type, exact.toDoubles()));
    }
  }

  @Test
  void complexNumbers() {
    Literal z = Literal.of(C64, new float[][] {{1, 2}});
    LiteralSubject.assertThat(Accuracy.run(in -> XlaMath.maybeConjugate(in.get(0), true), z))
        .isEqualTo(Literal.of(C64, new float[][] {{1, -2}}));
    LiteralSubject.assertThat(Accuracy.run(in -> XlaMath.maybeConjugate(in.get(0), false), z))
        .isEqualTo(z);
    LiteralSubject.assertThat(Accuracy.run(in -> XlaMath.acos(in.get(0)), z))
        .isEqualTo(Accuracy.run(in -> in.get(0).acos(), z));
    LiteralSubject.assertThat(Accuracy.run(in -> XlaMath.reciprocal(in.get(0)), z))
        .isWithinUlps(1, Literal.of(C64, new float[][] {{0.2f, -0.4f}}));
  }

  @Test
  void polynomials() {
    Literal x = Literal.of(new double[] {0, 1, 2});
    LiteralSubject.assertThat(Accuracy.run(in -> XlaMath.evaluatePolynomial(in.get(0), 3, 2, 1), x))
        .holds(new double[] {1, 6, 17});
    LiteralSubject.assertThat(Accuracy.run(in -> XlaMath.evaluatePolynomial(in.get(0)), x))
        .holds(new double[] {0, 0, 0});
    // 5 T2(x/2) + 3 T1(x/2) + 4 / 2
    LiteralSubject.assertThat(
            Accuracy.run(in -> XlaMath.evaluateChebyshevPolynomial(in.get(0), 5, 3, 4), x))
        .holds(new double[] {-3, 1, 10});
  }

  private static void refused(String message, Function<XlaBuilder, XlaOp> program) {
    HloException refusal =
        assertThrows(HloException.class, () -> program.apply(new XlaBuilder("bad")));
    assertThat(refusal.summary()).isEqualTo(message);
  }

  @Test
  void otherTypesAreRefused() {
    refused(
        "lgamma: x got s32[2], want an array of floats",
        b -> XlaMath.lgamma(b.parameter(0, Shape.of(S32, 2), "x")));
    refused(
        "erfc: x got c64[2], want an array of floats",
        b -> XlaMath.erfc(b.parameter(0, Shape.of(C64, 2), "x")));
    refused(
        "acos: x got s32[], want an array of floats",
        b -> XlaMath.acos(b.parameter(0, Shape.of(S32), "x")));
    refused(
        "isNan: x got s32[], want an array of floats",
        b -> XlaMath.isNan(b.parameter(0, Shape.of(S32), "x")));
    refused(
        "digamma: tuple got (f32[]), want an array of floats",
        b -> XlaMath.digamma(b.tuple(b.constant(1f))));
    refused(
        "igamma: x got f32[3], want the shape of a, f32[2]",
        b ->
            XlaMath.igamma(
                b.parameter(0, Shape.of(F32, 2), "a"), b.parameter(1, Shape.of(F32, 3), "x")));
    refused(
        "zeta: q got f64[2], want the shape of x, f32[2]",
        b ->
            XlaMath.zeta(
                b.parameter(0, Shape.of(F32, 2), "x"), b.parameter(1, Shape.of(F64, 2), "q")));
    refused(
        "nextAfter: element type got f8e5m2, want bf16, f16, f32 or f64",
        b ->
            XlaMath.nextAfter(
                b.parameter(0, Shape.of(F8E5M2), "x"), b.parameter(1, Shape.of(F8E5M2), "y")));
  }
}
