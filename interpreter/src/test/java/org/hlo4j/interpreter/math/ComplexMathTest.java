package org.hlo4j.interpreter.math;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A row is real and imaginary part of the arguments, then of the result. */
final class ComplexMathTest {
  private static final double NAN = Double.NaN;
  private static final double INF = Double.POSITIVE_INFINITY;
  private static final double MIN = Double.MIN_VALUE;
  private static final double MAX = Double.MAX_VALUE;
  private static final double PI = Math.PI;

  private static final Set<String> ODD =
      Set.of("sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh");

  static final Map<String, UnaryOperator<Complex>> UNARY =
      Map.ofEntries(
          Map.entry("acos", ComplexMath::acos),
          Map.entry("acosh", ComplexMath::acosh),
          Map.entry("asin", ComplexMath::asin),
          Map.entry("asinh", ComplexMath::asinh),
          Map.entry("atan", ComplexMath::atan),
          Map.entry("atanh", ComplexMath::atanh),
          Map.entry("cbrt", ComplexMath::cbrt),
          Map.entry("cos", ComplexMath::cos),
          Map.entry("cosh", ComplexMath::cosh),
          Map.entry("exp", ComplexMath::exp),
          Map.entry("expm1", ComplexMath::expm1),
          Map.entry("log", ComplexMath::log),
          Map.entry("log1p", ComplexMath::log1p),
          Map.entry("logistic", ComplexMath::logistic),
          Map.entry("rsqrt", ComplexMath::rsqrt),
          Map.entry("sin", ComplexMath::sin),
          Map.entry("sinh", ComplexMath::sinh),
          Map.entry("sqrt", ComplexMath::sqrt),
          Map.entry("tan", ComplexMath::tan),
          Map.entry("tanh", ComplexMath::tanh));

  @Test
  void arithmetic() {
    assertThat(c(1, 2).plus(c(3, -5))).isEqualTo(c(4, -3));
    assertThat(c(1, 2).minus(c(3, -5))).isEqualTo(c(-2, 7));
    assertThat(c(1, 2).times(c(3, -5))).isEqualTo(c(13, 1));
    assertThat(c(INF, 0).times(c(1, 0))).isEqualTo(c(INF, NAN));
    assertThat(c(1, -0.0).negate()).isEqualTo(c(-1, 0));
    assertThat(c(1, -0.0).conjugate()).isEqualTo(c(1, 0));
    assertThat(c(3, -4).abs()).isEqualTo(5);
    assertThat(c(-INF, NAN).abs()).isEqualTo(INF);
  }

  @Test
  void division() {
    exactly("divide", Complex::dividedBy, 13, 1, 3, -5, 1, 2);
    exactly("divide", Complex::dividedBy, 1, 1, 0, 0, INF, INF);
    exactly("divide", Complex::dividedBy, 1, -2, -0.0, 0, -INF, INF);
    exactly("divide", Complex::dividedBy, 1, 0, 0, 0, INF, NAN);
    exactly("divide", Complex::dividedBy, 0, 0, 0, 0, NAN, NAN);
    exactly("divide", Complex::dividedBy, INF, 1, 2, 2, INF, -INF);
    exactly("divide", Complex::dividedBy, 1, 1, INF, -INF, 0, 0);
    exactly("divide", Complex::dividedBy, 1, 1, NAN, 1, NAN, NAN);
    exactly("divide", Complex::dividedBy, MAX, MAX, MAX, MAX, 1, 0);
    exactly("divide", Complex::dividedBy, MIN, MIN, MIN, MIN, 1, 0);
    exactly("divide", Complex::dividedBy, 0x1p-1000, 0, 0x1p-1000, 0x1p-1000, 0.5, -0.5);
  }

  @Test
  void zeroAndItsSign() {
    exactly("sqrt", ComplexMath::sqrt, 0, 0, 0, 0);
    exactly("sqrt", ComplexMath::sqrt, -0.0, -0.0, 0, -0.0);
    exactly("rsqrt", ComplexMath::rsqrt, 0, 0, INF, NAN);
    exactly("cbrt", ComplexMath::cbrt, -0.0, -0.0, 0, 0);
    exactly("log", ComplexMath::log, 0, 0, -INF, 0);
    exactly("log", ComplexMath::log, -0.0, 0, -INF, PI);
    exactly("log1p", ComplexMath::log1p, -0.0, -0.0, 0, -0.0);
    exactly("expm1", ComplexMath::expm1, 0, -0.0, 0, -0.0);
    exactly("logistic", ComplexMath::logistic, 0, 0, 0.5, 0);
    exactly("acos", ComplexMath::acos, 0, 0, PI / 2, -0.0);
    exactly("acosh", ComplexMath::acosh, 0, -0.0, 0, -PI / 2);
    exactly("atanh", ComplexMath::atanh, 0, -0.0, 0, -0.0);
    exactly("sign", ComplexMath::sign, -0.0, 0, 0, 0);
  }

  @Test
  void branchCuts() {
    exactly("sqrt", ComplexMath::sqrt, -4, 0, 0, 2);
    exactly("sqrt", ComplexMath::sqrt, -4, -0.0, 0, -2);
    exactly("rsqrt", ComplexMath::rsqrt, -4, 0, 0, -0.5);
    exactly("log", ComplexMath::log, -1, 0, 0, PI);
    exactly("log", ComplexMath::log, -1, -0.0, 0, -PI);
    exactly("log1p", ComplexMath::log1p, -2, -0.0, 0, -PI);
    exactly("asin", ComplexMath::asin, 1, 0, PI / 2, 0);
    exactly("acos", ComplexMath::acos, -1, 0, PI, -0.0);
    exactly("acos", ComplexMath::acos, -1, -0.0, PI, 0);
    exactly("acosh", ComplexMath::acosh, -1, 0, 0, PI);
    exactly("atanh", ComplexMath::atanh, 1, 0, INF, 0);
    exactly("atan", ComplexMath::atan, 0, 1, 0, INF);
  }

  @Test
  void infinities() {
    exactly("exp", ComplexMath::exp, -INF, INF, 0, 0);
    exactly("exp", ComplexMath::exp, INF, 0, INF, 0);
    exactly("exp", ComplexMath::exp, 800, -0.0, INF, -0.0);
    exactly("log", ComplexMath::log, -INF, INF, INF, 3 * PI / 4);
    exactly("log", ComplexMath::log, NAN, -INF, INF, NAN);
    exactly("sqrt", ComplexMath::sqrt, -INF, -3, 0, -INF);
    exactly("sqrt", ComplexMath::sqrt, INF, -3, INF, -0.0);
    exactly("sqrt", ComplexMath::sqrt, NAN, INF, INF, INF);
    exactly("tanh", ComplexMath::tanh, -INF, 1, -1, 0);
    exactly("tan", ComplexMath::tan, 1, INF, 0, 1);
    exactly("logistic", ComplexMath::logistic, -INF, 0, 0, 0);
    exactly("logistic", ComplexMath::logistic, INF, 0, 1, 0);
    exactly("asin", ComplexMath::asin, INF, INF, PI / 4, INF);
    exactly("acos", ComplexMath::acos, -INF, INF, 3 * PI / 4, -INF);
    exactly("atanh", ComplexMath::atanh, 3, INF, 0, PI / 2);
  }

  @Test
  void sign() {
    exactly("sign", ComplexMath::sign, 3, -4, 0.6, -0.8);
    exactly("sign", ComplexMath::sign, NAN, 1, NAN, NAN);
    exactly("sign", ComplexMath::sign, 1, NAN, NAN, NAN);
    exactly("sign", ComplexMath::sign, -MAX, 0, -1, 0);
    exactly("sign", ComplexMath::sign, 0, MIN, 0, 1);
    assertThat(ComplexMath.sign(c(MAX, MAX))).isEqualTo(ComplexMath.sign(c(1, 1)));
  }

  @Test
  void powEdges() {
    exactly("pow", ComplexMath::pow, 0, 0, 0, 0, 1, 0);
    exactly("pow", ComplexMath::pow, 7, -3, 0, 0, 1, 0);
    exactly("pow", ComplexMath::pow, 0, 0, 2, -1, 0, 0);
    exactly("pow", ComplexMath::pow, 0, 0, -2, 0, INF, NAN);
    exactly("pow", ComplexMath::pow, 0, 0, 0, 1, NAN, NAN);
    exactly("pow", ComplexMath::pow, 2, 0, 10, 0, 1024, 0);
    exactly("pow", ComplexMath::pow, INF, 0, 2, 0, INF, 0);
  }

  @Test
  void atan2Edges() {
    exactly("atan2", ComplexMath::atan2, 1, 0, 1, 0, PI / 4, 0);
    exactly("atan2", ComplexMath::atan2, 1, 0, -1, 0, 3 * PI / 4, -0.0);
    exactly("atan2", ComplexMath::atan2, -1, 0, -1, 0, -3 * PI / 4, 0);
    exactly("atan2", ComplexMath::atan2, 0, 0, 0, 0, NAN, NAN);
  }

  @Test
  void everyFunctionCommutesWithConjugation() {
    Set<String> butForZero = Set.of("rsqrt", "cbrt");
    for (Complex z : mixed(0.0, -0.0, 0.25, 1, -1, -3, 30, -1e9, 1e200, MIN)) {
      UNARY.forEach((name, function) -> {
        Complex expected = function.apply(z).conjugate();
        if (!z.isZero() || !butForZero.contains(name)) {
          assertWithMessage("%s of the conjugate of %s", name, z)
              .that(function.apply(z.conjugate()))
              .isEqualTo(expected);
        }
      });
    }
  }

  @Test
  void oddFunctionsAreOdd() {
    for (Complex z : mixed(0.0, 0.25, 1, 3, 30, 1e9, 1e200, MIN)) {
      for (String name : ODD) {
        UnaryOperator<Complex> function = requireNonNull(UNARY.get(name));
        assertWithMessage("%s of the negative of %s", name, z)
            .that(function.apply(z.negate()))
            .isEqualTo(function.apply(z).negate());
      }
    }
  }

  @Test
  void subnormalPartsAreKept() {
    exactly("atanh", ComplexMath::atanh, MAX, MAX, 0x1p-1025, PI / 2);
    exactly("atan", ComplexMath::atan, -MAX, MAX, -PI / 2, 0x1p-1025);
    exactly("asin", ComplexMath::asin, 0, MIN, 0, MIN);
    exactly("acos", ComplexMath::acos, 0, MIN, PI / 2, -MIN);
    exactly("sqrt", ComplexMath::sqrt, MAX, 0x1p-532, Math.sqrt(MAX), 0x1p-1045);
    exactly("sinh", ComplexMath::sinh, 1e8, MIN, INF, INF);
    exactly("cosh", ComplexMath::cosh, -1e8, MIN, INF, -INF);
    double big = StrictMath.exp(709.5);
    exactly("exp", ComplexMath::exp, 709.5, 5 * MIN, big, 5 * MIN * big);
  }

  @Test
  void largeAndSmallLoseNothing() {
    for (int exponent : new int[] {1020, -1020, -1062}) {
      Complex z = c(1, -3).scaled(exponent);
      assertThat(ComplexMath.sqrt(z)).isEqualTo(ComplexMath.sqrt(c(1, -3)).scaled(exponent / 2));
      assertThat(ComplexMath.cbrt(z)).isEqualTo(ComplexMath.cbrt(c(1, -3)).scaled(exponent / 3));
      assertThat(ComplexMath.sign(z)).isEqualTo(ComplexMath.sign(c(1, -3)));
    }
  }

  private static Complex c(double re, double im) {
    return new Complex(re, im);
  }

  private static List<Complex> mixed(double... parts) {
    return Arrays.stream(parts)
        .boxed()
        .flatMap(re -> Arrays.stream(parts).mapToObj(im -> c(re, im)))
        .toList();
  }

  private static void exactly(String name, UnaryOperator<Complex> function, double... row) {
    assertWithMessage("%s%s", name, Arrays.toString(row))
        .that(function.apply(c(row[0], row[1])))
        .isEqualTo(c(row[2], row[3]));
  }

  private static void exactly(String name, BinaryOperator<Complex> function, double... row) {
    assertWithMessage("%s%s", name, Arrays.toString(row))
        .that(function.apply(c(row[0], row[1]), c(row[2], row[3])))
        .isEqualTo(c(row[4], row[5]));
  }
}
