package org.hlo4j.benchmarks;

import static java.lang.Double.doubleToRawLongBits;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * The accuracy of the compiled f32 functions: their distance from the exact results, over all 2^32
 * operands or every n-th one. A second operand is random.
 *
 * <p>The arguments are a step, followed by names of functions; without arguments, every operand of
 * all functions is tested. For each function the program prints the greatest error of a result that
 * is not correctly rounded, in units in the last place of the exact result, and its operand; the
 * number of results that are more than 1 from the correctly rounded one; the time of the test; and
 * the time for 64K elements. The compiled f64 function finds the operands that matter, and {@link
 * Math} determines their errors. Vectors require {@code --add-modules jdk.incubator.vector}.
 */
public final class MathAccuracy {
  private static final int CHUNK = 1 << 16;

  /** Results with a smaller error are at most 1 from the correctly rounded result. */
  private static final double SURE = 1.49;

  private final Elementwise.Kind kind;
  private final DoubleBinaryOperator exact;
  private double greatestError;
  private float worst;
  private long wrong;

  private MathAccuracy(Elementwise.Kind kind) {
    this.kind = kind;
    this.exact = exact(kind);
  }

  private Value apply(CodeEmitter emitter, Value[] operands) {
    ElementType type = operands[0].lane() == Lane.F32 ? ElementType.F32 : ElementType.F64;
    List<ElementType> types = Collections.nCopies(operands.length, type);
    return ElementFunctions.apply(emitter, new Elementwise(kind), types, type, List.of(operands));
  }

  /** Prints a line for each function. */
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

  private static DoubleBinaryOperator exact(Elementwise.Kind kind) {
    return switch (kind.name()) {
      case "ACOS" -> of(Math::acos);
      case "ACOSH" -> of(MathAccuracy::acosh);
      case "ASIN" -> of(Math::asin);
      case "ASINH" -> of(x -> Math.copySign(asinh(Math.abs(x)), x));
      case "ATAN" -> of(Math::atan);
      case "ATANH" -> of(x -> (Math.log1p(x) - Math.log1p(-x)) / 2);
      case "CBRT" -> of(Math::cbrt);
      case "ATAN2" -> Math::atan2;
      case "COSINE" -> of(Math::cos);
      case "COSH" -> of(Math::cosh);
      case "ERF" -> of(MathAccuracy::erf);
      case "EXPONENTIAL" -> of(Math::exp);
      case "EXPONENTIAL_MINUS_ONE" -> of(Math::expm1);
      case "LOG" -> of(Math::log);
      case "LOGISTIC" -> of(MathAccuracy::logistic);
      case "LOG_PLUS_ONE" -> of(Math::log1p);
      case "POWER" -> Math::pow;
      case "RSQRT" -> of(x -> 1 / Math.sqrt(x));
      case "SINE" -> of(Math::sin);
      case "SINH" -> of(Math::sinh);
      case "TAN" -> of(Math::tan);
      case "TANH" -> of(Math::tanh);
      default -> null;
    };
  }

  private static DoubleBinaryOperator of(DoubleUnaryOperator function) {
    return (x, unused) -> function.applyAsDouble(x);
  }

  private static double acosh(double x) {
    double root = Math.sqrt((x - 1) * (x + 1));
    return x < 1 ? Double.NaN : x < 1.01 ? Math.log1p(x - 1 + root) : Math.log(x + root);
  }

  private static double asinh(double a) {
    return a > 1e9 ? Math.log(a) + Math.log(2) : Math.log1p(a + a * a / (1 + Math.sqrt(1 + a * a)));
  }

  /** Returns 2 / sqrt(pi) e^(-x^2) (x + 2/3 x^3 + 4/15 x^5 + ...). */
  private static double erf(double x) {
    if (!(Math.abs(x) < 6)) {
      return Math.signum(x);
    }
    double term = x;
    double sum = x;
    for (int n = 3; Math.abs(term) > Math.ulp(sum) / 4; n += 2) {
      term *= 2 * x * x / n;
      sum += term;
    }
    return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
  }

  private static double logistic(double x) {
    double e = Math.exp(-Math.abs(x));
    return (x < 0 ? e : 1) / (1 + e);
  }

  private void run(long step) {
    int arity = kind.arity();
    MathLoops.Floats loop = MathLoops.floats(Machine.width(32), arity, this::apply);
    MathLoops.Widening wide = MathLoops.widening(Machine.width(64), arity, this::apply);
    SplittableRandom random = new SplittableRandom(1);
    float[] operand = new float[CHUNK];
    float[] second = new float[CHUNK];
    float[] result = new float[CHUNK];
    double[] want = new double[CHUNK];
    long start = System.nanoTime();
    for (long bits = 0; bits < 1L << 32; bits += CHUNK * step) {
      if (step == 1 && isTrivial(Float.intBitsToFloat((int) bits))) {
        continue;
      }
      for (int i = 0; i < CHUNK; i++) {
        operand[i] = Float.intBitsToFloat((int) (bits + i * step));
        second[i] = arity == 1 ? 0 : second(operand[i], random);
      }
      loop.run(operand, second, result, CHUNK);
      wide.run(operand, second, want, CHUNK);
      check(operand, second, result, want);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        "%-22s %.4f ulp at %s (%s), %d off by more than 1, %.0f s, %.1f us%n",
        kind, greatestError, worst, Float.toHexString(worst), wrong, seconds, time(loop));
  }

  /**
   * Returns whether an operand needs no test. Sine, cosine and tangent call StrictMath from 2^17
   * on; operands from 2^18 on are skipped.
   */
  private boolean isTrivial(float x) {
    return switch (kind.name()) {
      case "SINE", "COSINE", "TAN" -> Math.abs(x) >= 0x1p18;
      default -> false;
    };
  }

  /**
   * Returns a second operand: a random number, or one for which neither the power nor the quotient
   * is far from 1.
   */
  private float second(float x, SplittableRandom random) {
    if (random.nextInt(8) == 0) {
      return Float.intBitsToFloat(random.nextInt());
    }
    double reach = random.nextDouble(-104, 104);
    return (float) (kind == Elementwise.Kind.POWER ? reach / Math.log(Math.abs(x)) : x * reach);
  }

  private void check(float[] operand, float[] second, float[] result, double[] want) {
    for (int i = 0; i < CHUNK; i++) {
      boolean isRight = Float.floatToIntBits(result[i]) == Float.floatToIntBits((float) want[i]);
      if (!isRight && !(error(result[i], want[i]) <= Math.min(greatestError, SURE))) {
        check(operand[i], result[i], exact.applyAsDouble(operand[i], second[i]));
      }
    }
  }

  /** Returns the error in units in the last place. */
  private static double error(float got, double want) {
    long exponent = Math.max(doubleToRawLongBits(want) >>> 52 & 0x7ff, 1023 - 126);
    double inverseUlp = Double.longBitsToDouble((2046 + 23 - exponent) << 52);
    return Math.abs(got - want) * inverseUlp;
  }

  private void check(float x, float got, double want) {
    float rounded = (float) want;
    int distance = Math.abs(Float.floatToIntBits(got) - Float.floatToIntBits(rounded));
    if (distance > 1) {
      wrong++;
      if (wrong <= 3) {
        System.out.printf("  %s: got %s, want %s%n", x, got, want);
      }
    }
    double error = error(got, want);
    if (Float.isFinite(rounded) && error > greatestError) {
      greatestError = error;
      worst = x;
    }
  }

  /** Returns the microseconds for 64K elements between 0.1 and 1. */
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
