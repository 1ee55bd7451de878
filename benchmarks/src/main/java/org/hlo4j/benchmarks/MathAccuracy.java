package org.hlo4j.benchmarks;

import static java.lang.Double.doubleToRawLongBits;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.lanes.ElementMath;
import org.hlo4j.interpreter.compiled.lanes.VectorSupport;

/**
 * How far the compiled f32 functions are from the exact ones, over all 2^32 operands or every n-th.
 *
 * <p>Arguments: a step, then names of functions; none means every operand of all functions. Beside
 * each: the greatest error in units of the last place of the exact result, where; how many results
 * are more than 1 from the correctly rounded one; how many are NaN, infinite or zero where they
 * should not be, or the other way round; how long it took; and how long 64K elements take.
 */
public final class MathAccuracy {
  private static final int CHUNK = 1 << 16;

  private final Elementwise.Kind kind;
  private final DoubleUnaryOperator exact;
  private double greatestError;
  private float worst;
  private long wrong;
  private long special;

  private MathAccuracy(Elementwise.Kind kind) {
    this.kind = kind;
    this.exact = exact(kind);
  }

  /** Prints a line a function. */
  public static void main(String[] arguments) {
    long step = arguments.length > 0 ? Long.parseLong(arguments[0]) : 1;
    String[] names = Arrays.copyOfRange(arguments, Math.min(1, arguments.length), arguments.length);
    for (Elementwise.Kind kind : Elementwise.Kind.values()) {
      if (exact(kind) != null && (names.length == 0 || contains(names, kind.name()))) {
        new MathAccuracy(kind).run(step);
      }
    }
  }

  private static boolean contains(String[] names, String name) {
    return Arrays.stream(names).anyMatch(name::equalsIgnoreCase);
  }

  private static DoubleUnaryOperator exact(Elementwise.Kind kind) {
    return switch (kind.name()) {
      case "ACOS" -> Math::acos;
      case "ACOSH" -> x -> x < 1.01 ? log1p(x - 1 + Math.sqrt((x - 1) * (x + 1))) : acosh(x);
      case "ASIN" -> Math::asin;
      case "ASINH" -> x -> Math.copySign(asinh(Math.abs(x)), x);
      case "ATAN" -> Math::atan;
      case "ATANH" -> x -> (log1p(x) - log1p(-x)) / 2;
      case "CBRT" -> Math::cbrt;
      case "COSINE" -> Math::cos;
      case "COSH" -> Math::cosh;
      case "ERF" -> null;
      case "EXPONENTIAL" -> Math::exp;
      case "EXPONENTIAL_MINUS_ONE" -> Math::expm1;
      case "LOG" -> Math::log;
      case "LOGISTIC" -> MathAccuracy::logistic;
      case "LOG_PLUS_ONE" -> Math::log1p;
      case "RSQRT" -> x -> 1 / Math.sqrt(x);
      case "SINE" -> Math::sin;
      case "SINH" -> Math::sinh;
      case "TAN" -> Math::tan;
      case "TANH" -> Math::tanh;
      default -> null;
    };
  }

  private static double log1p(double x) {
    return Math.log1p(x);
  }

  private static double acosh(double x) {
    return Math.log(x + Math.sqrt((x - 1) * (x + 1)));
  }

  private static double asinh(double a) {
    return a > 1e9 ? Math.log(a) + Math.log(2) : log1p(a + a * a / (1 + Math.sqrt(1 + a * a)));
  }

  private static double logistic(double x) {
    double e = Math.exp(-Math.abs(x));
    return (x < 0 ? e : 1) / (1 + e);
  }

  private void run(long step) {
    int width = VectorSupport.width(32);
    MathLoops.Floats loop =
        MathLoops.floats(
            width, 1, (lanes, operands) -> ElementMath.apply(lanes, kind, operands).orElseThrow());
    float[] operand = new float[CHUNK];
    float[] result = new float[CHUNK];
    long start = System.nanoTime();
    for (long bits = 0; bits < 1L << 32; bits += CHUNK * step) {
      for (int i = 0; i < CHUNK; i++) {
        operand[i] = Float.intBitsToFloat((int) (bits + i * step));
      }
      loop.run(operand, operand, result, CHUNK);
      check(operand, result);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        "%-22s %.4f ulp at %s (%s), %d off by more than 1, %d special, %.0f s, %.1f us%n",
        kind, greatestError, worst, Float.toHexString(worst), wrong, special, seconds, time(loop));
  }

  private void check(float[] operand, float[] result) {
    for (int i = 0; i < CHUNK; i++) {
      double want = exact.applyAsDouble(operand[i]);
      check(operand[i], result[i], want, (float) want);
    }
  }

  private void check(float x, float got, double want, float rounded) {
    int distance = Math.abs(Float.floatToIntBits(got) - Float.floatToIntBits(rounded));
    if (distance > 1) {
      wrong++;
    }
    boolean isSpecial = isSpecial(rounded) || isSpecial(got);
    if (isSpecial) {
      if (distance != 0 && !(distance == 1 && Math.abs(rounded) <= Float.MIN_VALUE)) {
        if (special++ < 3) {
          System.out.printf("  %s: got %s, want %s%n", x, got, want);
        }
      }
      return;
    }
    long exponent = Math.max(doubleToRawLongBits(want) >>> 52 & 0x7ff, 1023 - 126);
    double inverseUlp = Double.longBitsToDouble((2046 + 23 - exponent) << 52);
    double error = Math.abs(got - want) * inverseUlp;
    if (error > greatestError) {
      greatestError = error;
      worst = x;
    }
  }

  private static boolean isSpecial(float x) {
    return x == 0 || !(Math.abs(x) < Float.POSITIVE_INFINITY);
  }

  /** Microseconds for 64K elements between 0.1 and 1. */
  private static double time(MathLoops.Floats loop) {
    float[] operand = new float[CHUNK];
    float[] result = new float[CHUNK];
    for (int i = 0; i < CHUNK; i++) {
      operand[i] = 0.1f + 0.9f * i / CHUNK;
    }
    long best = Long.MAX_VALUE;
    for (int i = 0; i < 2000; i++) {
      long start = System.nanoTime();
      loop.run(operand, operand, result, CHUNK);
      best = Math.min(best, System.nanoTime() - start);
    }
    return best / 1e3;
  }
}
