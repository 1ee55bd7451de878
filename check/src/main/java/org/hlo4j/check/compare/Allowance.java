package org.hlo4j.check.compare;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ir.CompositeFunction;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;

/**
 * Which values a conforming system may give for one instruction whose operands are known.
 *
 * @param words the reason, such as "64 terms added in f32 in any order"
 * @param rule what moves the ends of the results apart
 */
record Allowance(String words, Consumer<Bounds> rule) {
  /** One value, but for denormal numbers. */
  static final Allowance EXACT = new Allowance("one rounding", bounds -> {});

  /** What is computed exactly. */
  static final double NONE = -1;

  /**
   * A type in which a system computes.
   *
   * @param type the type
   * @param flushes whether denormal numbers may be zero
   */
  record Accumulator(ElementType type, boolean flushes) {
    double unit() {
      return Bounds.unit(type);
    }

    /** Returns the least number that is not zero. */
    double least() {
      return Math.max(flushes ? Bounds.leastNormal(type) : 0, type.decode(1));
    }
  }

  /**
   * The errors of a result before it is rounded.
   *
   * @param errors gives the greatest error of each component: {@link #NONE}; 0 where either zero is
   *     right; NaN, or more than the accumulator has, where anything is
   */
  static Allowance ofErrors(
      String words, Accumulator accumulator, Function<Bounds, IntToDoubleFunction> errors) {
    return new Allowance(
        words,
        bounds -> {
          IntToDoubleFunction each = errors.apply(bounds);
          for (int i = 0; i < bounds.size(); i++) {
            double error = each.applyAsDouble(i);
            if (error == 0) {
              bounds.includeZeros(i);
            } else if (error <= accumulator.type().maxFinite()) {
              bounds.widen(i, error);
            } else {
              bounds.setAnything(i);
            }
          }
        });
  }

  /** A formula for each component of the result by itself. */
  static Allowance ofElements(String words, ObjIntConsumer<Bounds> rule) {
    return EXACT.and(words, rule);
  }

  /** Returns the allowance with another one beside it. */
  private Allowance and(String more, ObjIntConsumer<Bounds> other) {
    return new Allowance(
        isExact() ? more : words + ", " + more,
        rule.andThen(
            bounds -> IntStream.range(0, bounds.size()).forEach(i -> other.accept(bounds, i))));
  }

  boolean isExact() {
    return equals(EXACT);
  }

  /** A distance in representable values; none if it is 0. */
  static Allowance ulps(long count) {
    return count == 0
        ? EXACT
        : ofElements(count + (count == 1 ? " ulp" : " ulps"), (bounds, i) -> bounds.step(i, count));
  }

  /** A root that is rounded to f16 first, in which XLA computes what is narrower. */
  static Allowance rootThroughF16() {
    return ofElements(
        "rounded to f16 first",
        (bounds, i) -> {
          double root = Math.sqrt(bounds.operand(0, i));
          bounds.include(i, bounds.type.round(ElementType.F16.round(root)));
        });
  }

  /**
   * The angle of a vector. If both parts are zero or denormal, and such a part is zero, their
   * quotient may be that of zeros; a denormal part alone may lose its sign.
   */
  Allowance orAngleOfZeros() {
    return and(
        "denormal parts as zeros",
        (bounds, i) -> {
          double least = Bounds.leastNormal(bounds.type);
          double y = Math.abs(bounds.operand(0, i));
          double x = Math.abs(bounds.operand(1, i));
          if (y < least && x < least && y + x > 0) {
            bounds.setAnything(i);
          } else if (y < least && y > 0) {
            bounds.include(i, -bounds.high[i]);
            bounds.include(i, -bounds.low[i]);
          }
        });
  }

  /**
   * A quotient. A system that multiplies by reciprocals gets zero from a denormal one, as XLA:CPU
   * does where several numbers are divided by the same one.
   */
  Allowance orZeroReciprocal() {
    return and(
        "denormal reciprocals as zeros",
        (bounds, i) -> {
          double reciprocal = 1 / bounds.operand(1, i);
          if (Math.abs(reciprocal) < Bounds.leastNormal(bounds.type)) {
            bounds.include(i, Math.copySign(0.0, bounds.values[i]));
          }
        });
  }

  /**
   * An error in units of a complex number's magnitude.
   *
   * @param count how many
   * @param least the least magnitude that counts
   */
  static Allowance modulus(double count, double least) {
    return ofElements(
        count + " ulps of the modulus" + (least > 0 ? " or of " + least : ""),
        (bounds, i) -> {
          double modulus = Math.max(least, bounds.modulus(i / bounds.parts));
          if (Double.isFinite(modulus)) {
            bounds.widen(i, count * 2 * bounds.unit() * modulus);
          }
          bounds.includeZeros(i);
        });
  }

  /** A function of CHLO that a program calls: its published errors, whatever it is computed by. */
  static Allowance composite(CompositeFunction function) {
    return ofElements(
        function.compositeName() + " as systems publish its error",
        (bounds, i) -> {
          double[] in = bounds.operands.stream().mapToDouble(each -> each.doubleAt(i)).toArray();
          if (Double.isFinite(bounds.values[i]) && Arrays.stream(in).allMatch(Double::isFinite)) {
            double error = function.allowance(bounds.type, bounds.values[i], in);
            bounds.include(i, bounds.type.round(bounds.values[i] - error));
            bounds.include(i, bounds.type.round(bounds.values[i] + error));
          }
        });
  }

  /**
   * Fourier transforms: 2 (2 + log2 n) roundings of the norm of each line. A line with a NaN or an
   * infinity, or that may overflow, is anything.
   *
   * @param fft the op
   * @param accumulator the type in which it is computed
   */
  static Allowance lines(Fft fft, Accumulator accumulator) {
    double length = Math.max(1, fft.fftLength().product());
    double roundings = 2 * (2 + Math.log(length) / Math.log(2));
    double scale = Math.sqrt(length) / (fft.fftType().isInverse() ? length : 1);
    return ofErrors(
        "a transform of " + fft.fftLength().product() + " numbers in " + accumulator.type(),
        accumulator,
        bounds -> {
          double[] norms = norms(fft, new Bounds(bounds.operands.get(0)));
          return i -> {
            double norm = norms[i / (bounds.size() / norms.length)];
            double error = roundings * accumulator.unit() * norm * scale;
            boolean isNumber = norm * Math.sqrt(length) <= accumulator.type().maxFinite() / 2;
            return !isNumber || !Double.isFinite(bounds.values[i])
                ? Double.NaN
                : norm == 0 ? 0 : error + length * accumulator.least();
          };
        });
  }

  /** Returns the 2-norms of the lines of a transform; of half a line twice its numbers. */
  private static double[] norms(Fft fft, Bounds from) {
    Dims sizes = from.shape.sizes();
    long lines = sizes.subList(0, sizes.count() - fft.fftLength().count()).product();
    double[] norms = new double[Math.toIntExact(Math.max(1, lines))];
    double times = fft.fftType() == Fft.FftType.IRFFT ? Math.sqrt(2) : 1;
    for (int i = 0; i < from.size(); i++) {
      int line = i / (from.size() / norms.length);
      norms[line] = Math.hypot(norms[line], times * from.values[i]);
    }
    return norms;
  }

  /**
   * A result that a system may use without its own rounding: a product that is added, a chain of
   * narrow types that is computed in f32, arithmetic with more digits. It moves to the next number
   * on the side of the exact value.
   *
   * @param computed the instruction whose result it is; exact, if not all of its operands are
   *     floats
   */
  static Allowance unrounded(HloInstruction computed) {
    if (!computed.operands().stream()
        .allMatch(each -> each.arrayShape().elementType().isFloating())) {
      return EXACT;
    }
    return ofElements(
        computed.name() + " without its own rounding",
        (bounds, i) -> {
          double number = bounds.values[i];
          double x = bounds.operand(0, i);
          double y = bounds.operand(bounds.operands.size() - 1, i);
          double error =
              computed.op() instanceof Elementwise op ? error(op.kind(), number, x, y) : x - number;
          if (Double.isInfinite(number) && Double.isFinite(x) && Double.isFinite(y) && y != 0) {
            bounds.include(i, Math.copySign(bounds.type.maxFinite(), number));
          } else if (error != 0 && Double.isFinite(error)) {
            bounds.include(i, bounds.type.stepped(number, error > 0 ? 1 : -1));
          }
        });
  }

  /**
   * Returns how far the exact value is above the rounded one, but for its own rounding: of a sum,
   * the difference to the larger operand is exact; of a quotient, times the divisor.
   */
  private static double error(Elementwise.Kind kind, double rounded, double x, double y) {
    double added = kind == Elementwise.Kind.SUBTRACT ? -y : y;
    return switch (kind) {
      case ADD, SUBTRACT ->
          Math.abs(x) > Math.abs(y) ? added - (rounded - x) : x - (rounded - added);
      case MULTIPLY -> Math.fma(x, y, -rounded);
      case DIVIDE -> Math.fma(-rounded, y, x) * Math.signum(y);
      default -> Math.fma(-rounded, rounded, x);
    };
  }
}
