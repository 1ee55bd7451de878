package org.hlo4j.interpreter.library;

import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;

import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.DoubleStream;
import org.apache.commons.math3.util.FastMath;
import org.apache.commons.numbers.gamma.Erfc;
import org.apache.commons.numbers.gamma.InverseErf;
import org.apache.commons.numbers.gamma.LogGamma;
import org.apache.commons.numbers.gamma.RegularizedBeta;
import org.apache.commons.numbers.gamma.RegularizedGamma;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.math.XlaMath;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Functions of {@link XlaMath} against Commons Numbers and Commons Math, in f32 and f64. Columns:
 * the bound in units (see {@link Accuracy#holds}) in f32 and in f64, the least scale it is taken
 * of, and where.
 */
@Tag("thorough")
class MathAccuracyTest {
  private static final double RELATIVE = 0;
  private static final double ABSOLUTE = 1;

  private static void row(
      String name,
      UnaryOperator<XlaOp> function,
      DoubleUnaryOperator exact,
      double inSingle,
      double inDouble,
      double floor,
      double[]... places) {
    double[] all = DoubleStream.of().toArray();
    for (double[] some : places) {
      all = DoubleStream.concat(DoubleStream.of(all), DoubleStream.of(some)).toArray();
    }
    Accuracy.Exact at = in -> exact.applyAsDouble(in[0]);
    Accuracy.holds(name, F32, in -> function.apply(in.get(0)), at, inSingle, floor, all);
    Accuracy.holds(name, F64, in -> function.apply(in.get(0)), at, inDouble, floor, all);
  }

  private static double[] between(double low, double high) {
    return Accuracy.between(low, high, 100);
  }

  private static double[] scales(double low, double high) {
    return Accuracy.scales(low, high, 60, true);
  }

  private static double[] positive(double low, double high) {
    return Accuracy.scales(low, high, 60, false);
  }

  @Test
  void errorFunctions() {
    row("erfc", XlaMath::erfc, Erfc::value, 1, 4, RELATIVE, between(-6, 26), scales(1e-30, 1));
    row("erfInv", XlaMath::erfInv, InverseErf::value, 1, 5, RELATIVE, between(-1, 1));
    row("erfInv", XlaMath::erfInv, InverseErf::value, 1, 5, RELATIVE, scales(1e-30, 1));
    double[] nearOne = {0.99, 0.999, 0.99999, 0.9999999, 0.99999999999, 1 - 0x1p-24, 1 - 0x1p-53};
    row("erfInv", XlaMath::erfInv, InverseErf::value, 1, 5, RELATIVE, nearOne);
  }

  @Test
  void logGamma() {
    row("lgamma", XlaMath::lgamma, LogGamma::value, 1, 6, RELATIVE, between(4, 200));
    row("lgamma", XlaMath::lgamma, LogGamma::value, 1, 6, RELATIVE, positive(10, 1e30));
    row("lgamma", XlaMath::lgamma, LogGamma::value, 1, 6, ABSOLUTE, positive(1e-30, 10));
  }

  @Test
  void inverseTrigonometric() {
    row("acos", XlaMath::acos, StrictMath::acos, 2, 3, RELATIVE, between(-1, 1));
    row("asin", XlaMath::asin, StrictMath::asin, 2, 3, RELATIVE, between(-1, 1), scales(1e-30, 1));
    row("atan", XlaMath::atan, StrictMath::atan, 2, 2, RELATIVE, scales(1e-30, 1e30));
  }

  @Test
  void hyperbolic() {
    row(
        "sinh",
        XlaMath::sinh,
        StrictMath::sinh,
        3,
        4,
        RELATIVE,
        between(-80, 80),
        scales(1e-30, 9));
    row(
        "cosh",
        XlaMath::cosh,
        StrictMath::cosh,
        3,
        4,
        RELATIVE,
        between(-80, 80),
        scales(1e-30, 9));
    row("asinh", XlaMath::asinh, FastMath::asinh, 3, 6, RELATIVE, scales(1e-30, 1e30));
    row("acosh", XlaMath::acosh, FastMath::acosh, 3, 6, RELATIVE, between(2, 9), positive(2, 1e30));
    row("atanh", XlaMath::atanh, FastMath::atanh, 3, 6, RELATIVE, scales(1e-30, 1));
  }

  private static final double[] SHAPES = {0.001, 0.1, 0.5, 1, 2.5, 7.9, 30, 200};
  private static final double[] RATIOS = {0.001, 0.1, 0.5, 0.9, 1, 1.1, 1.5, 2.5};

  private static double[] shapes() {
    return pairs((shape, ratio) -> shape);
  }

  private static double[] multiples() {
    return pairs((shape, ratio) -> (float) (shape * ratio));
  }

  private static double[] pairs(DoubleBinaryOperator pair) {
    return DoubleStream.of(SHAPES)
        .flatMap(shape -> DoubleStream.of(RATIOS).map(ratio -> pair.applyAsDouble(shape, ratio)))
        .toArray();
  }

  private static final double[][] GAMMA = {shapes(), multiples()};

  @Test
  void incompleteGamma() {
    Accuracy.Exact lower = in -> RegularizedGamma.P.value(in[0], in[1]);
    Accuracy.Exact upper = in -> RegularizedGamma.Q.value(in[0], in[1]);
    Accuracy.holds(
        "igamma", F32, in -> XlaMath.igamma(in.get(0), in.get(1)), lower, 150, RELATIVE, GAMMA);
    Accuracy.holds(
        "igamma", F64, in -> XlaMath.igamma(in.get(0), in.get(1)), lower, 600, RELATIVE, GAMMA);
    Accuracy.holds(
        "igammac", F32, in -> XlaMath.igammac(in.get(0), in.get(1)), upper, 20, ABSOLUTE, GAMMA);
    Accuracy.holds(
        "igammac", F64, in -> XlaMath.igammac(in.get(0), in.get(1)), upper, 20, ABSOLUTE, GAMMA);
  }

  @Test
  void incompleteBeta() {
    double[] a = new double[6 * 6 * 5];
    double[] b = new double[a.length];
    double[] x = new double[a.length];
    double[] shapes = {0.01, 0.5, 1, 2.5, 10, 300};
    double[] places = {1e-5, 0.125, 0.5, 0.75, 0.9375};
    for (int i = 0; i < a.length; i++) {
      a[i] = shapes[i / 30];
      b[i] = shapes[i / 5 % 6];
      x[i] = places[i % 5];
    }
    Accuracy.Exact exact = in -> RegularizedBeta.value(in[2], in[0], in[1]);
    Accuracy.holds(
        "regularizedIncompleteBeta",
        F32,
        in -> XlaMath.regularizedIncompleteBeta(in.get(0), in.get(1), in.get(2)),
        exact,
        30,
        ABSOLUTE,
        a,
        b,
        x);
    Accuracy.holds(
        "regularizedIncompleteBeta",
        F64,
        in -> XlaMath.regularizedIncompleteBeta(in.get(0), in.get(1), in.get(2)),
        exact,
        1000,
        RELATIVE,
        a,
        b,
        x);
  }
}
