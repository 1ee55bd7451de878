package org.hlo4j.check.compare;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CompositeFunction;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;

/** Which values a conforming system may give for one instruction whose operands are known. */
interface Allowance {
  /** Moves the ends of one of the instruction's results apart, from the values of its operands. */
  void apply(Bounds bounds, int output, List<Literal> operands);

  /** Returns the reason, such as "64 terms added in f32 in any order". */
  String words();

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

  /** One value, but for denormal numbers. */
  record Exact() implements Allowance {
    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      // The ends stay.
    }

    @Override
    public String words() {
      return "one rounding";
    }
  }

  /**
   * A distance in representable values.
   *
   * @param count the distance
   * @param words how a system computes the function
   */
  record Ulps(long count, String words) implements Allowance {
    Ulps(long count) {
      this(count, count + (count == 1 ? " ulp" : " ulps"));
    }

    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      for (int i = 0; i < bounds.size(); i++) {
        bounds.step(i, count);
      }
    }
  }

  /** A root that is rounded to f16 first, in which XLA computes what is narrower. */
  record ThroughF16() implements Allowance {
    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      for (int i = 0; i < bounds.size(); i++) {
        double root = Math.sqrt(operands.get(0).doubleAt(i));
        bounds.include(i, bounds.type().round(ElementType.F16.round(root)));
      }
    }

    @Override
    public String words() {
      return "rounded to f16 first";
    }
  }

  /**
   * The angle of a vector. If both parts are zero or denormal, and such a part is zero, their
   * quotient may be that of zeros; a denormal part alone may lose its sign.
   *
   * @param ulps what it may be off otherwise
   */
  record Angle(Ulps ulps) implements Allowance {
    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      ulps.apply(bounds, output, operands);
      double least = Bounds.leastNormal(bounds.type());
      for (int i = 0; i < bounds.size(); i++) {
        double y = Math.abs(operands.get(0).doubleAt(i));
        double x = Math.abs(operands.get(1).doubleAt(i));
        if (y < least && x < least && y + x > 0) {
          bounds.setAnything(i);
        } else if (y < least && y > 0) {
          bounds.include(i, -bounds.high(i));
          bounds.include(i, -bounds.low(i));
        }
      }
    }

    @Override
    public String words() {
      return ulps.words() + ", denormal parts as zeros";
    }
  }

  /**
   * A quotient. A system that multiplies by reciprocals gets zero from a denormal one, as XLA:CPU
   * does where several numbers are divided by the same one.
   *
   * @param ulps what it may be off otherwise
   */
  record Quotient(Ulps ulps) implements Allowance {
    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      ulps.apply(bounds, output, operands);
      for (int i = 0; i < bounds.size(); i++) {
        double reciprocal = 1 / operands.get(1).doubleAt(i);
        if (Math.abs(reciprocal) < Bounds.leastNormal(bounds.type())) {
          bounds.include(i, Math.copySign(0.0, bounds.value(i)));
        }
      }
    }

    @Override
    public String words() {
      return ulps.words() + ", denormal reciprocals as zeros";
    }
  }

  /**
   * An error in units of a complex number's magnitude.
   *
   * @param count how many
   * @param least the least magnitude that counts
   */
  record Modulus(double count, double least) implements Allowance {
    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      double unit = 2 * Bounds.unit(bounds.type());
      for (int i = 0; i < bounds.size(); i++) {
        double modulus = Math.max(least, bounds.modulus(i / bounds.parts()));
        if (Double.isFinite(modulus)) {
          bounds.widen(i, count * unit * modulus);
        }
        bounds.includeZeros(i);
      }
    }

    @Override
    public String words() {
      return count + " ulps of the modulus" + (least > 0 ? " or of " + least : "");
    }
  }

  /**
   * Sums: each addition and product rounds once, in any order (running error analysis). Where
   * partial sums overflow, anything; where all terms are 0, either zero.
   *
   * @param sum the instruction
   * @param accumulator what the terms are added in
   * @param terms how many terms meet at most, products counted twice; 0 to count them
   * @param precision how operands are rounded, if they are
   * @param operandError by how much each term may be off because of that, relative
   * @param twice whether the reference rounds as often
   * @param inTrees whether each partial sum may be rounded to the type of the result, in trees of
   *     32 as XLA's tree_reduction_rewriter.cc makes them
   * @param isInside whether it is in the middle of a program, so that n roundings count as 8
   *     sqrt(n): their signs differ (Higham and Mary 2019)
   */
  record Sum(
      HloInstruction sum,
      Accumulator accumulator,
      long terms,
      Optional<DotPrecision> precision,
      double operandError,
      boolean twice,
      boolean inTrees,
      boolean isInside)
      implements Allowance {
    /** How many roundings of the root of partial sums squared; XLA:CPU was seen to need 2.3. */
    private static final double DEVIATIONS = 2.5;

    private static final double BRANCHES = 32;

    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      Terms all = new Terms(sum, output, operands);
      Literal magnitudes = all.sums(Terms.MAGNITUDE);
      Literal counts = terms > 0 ? magnitudes : all.sums(Terms.COUNT);
      Literal squares = inTrees ? all.sums(Terms.SQUARE) : magnitudes;
      for (int i = 0; i < bounds.size(); i++) {
        int element = i / bounds.parts();
        double most = terms > 0 ? terms : counts.doubleAt(element) - 1;
        double roundings = isInside && most > 64 ? 8 * Math.sqrt(most) : most;
        bound(bounds, i, magnitudes.doubleAt(element), roundings);
        if (inTrees) {
          double partials = partials(bounds.value(i), squares.doubleAt(element), most + 1);
          bounds.widen(i, DEVIATIONS * Bounds.unit(bounds.type()) * Math.sqrt(partials));
        }
      }
    }

    /**
     * Returns the sum of the squares of all partial sums of terms in random order: of m terms with
     * the sum s and the sum of squares q, m s^2 / 3 + (m q - s^2) / 6.
     */
    private static double partials(double sum, double squares, double count) {
      double total = 0;
      double here = squares;
      for (double n = count; n > 1; n = Math.ceil(n / BRANCHES)) {
        double m = Math.min(n, BRANCHES);
        double mean = sum / n;
        double spread = m * (n - m) / Math.max(1, n - 1) * Math.max(0, here / n - mean * mean);
        double of = n / m * (m * m * mean * mean + spread);
        total += (m + 1) * of / 3 + Math.max(0, m * here - of) / 6;
        here = of;
      }
      return total;
    }

    Sum inside() {
      return new Sum(sum, accumulator, terms, precision, operandError, twice, inTrees, true);
    }

    private void bound(Bounds bounds, int i, double magnitude, double roundings) {
      if (magnitude > accumulator.type().maxFinite() && roundings > 0) {
        bounds.setAnything(i);
      } else if (magnitude == 0 && bounds.value(i) == 0) {
        bounds.includeZeros(i);
      } else if (Double.isInfinite(bounds.value(i)) && magnitude > bounds.type().maxFinite()) {
        bounds.include(i, Math.copySign(bounds.type().maxFinite(), bounds.value(i)));
      } else if (operandError > 0
          || roundings > 1
          || (roundings > 0 && bounds.type() != accumulator.type())) {
        double error = roundings * (accumulator.unit() * magnitude + accumulator.least());
        bounds.widen(i, (twice ? 2 : 1) * error + operandError * magnitude);
      }
    }

    @Override
    public String words() {
      return (terms > 0 ? terms + " " : "")
          + "terms added in "
          + accumulator.type()
          + " in any order"
          + (inTrees ? ", or in trees of their own type" : "")
          + precision.map(each -> ", operands in " + each).orElse("");
    }
  }

  /**
   * Products: each multiplication rounds once, in any order. Where some factors overflow or
   * underflow together, anything.
   *
   * @param product the instruction
   * @param accumulator the type of the partial products
   */
  record Product(HloInstruction product, Accumulator accumulator) implements Allowance {
    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      Terms all = new Terms(product, output, operands);
      Literal large = all.products(Terms.LARGE);
      Literal small = all.products(Terms.SMALL);
      Literal counts = all.sums(factor -> factor == 1 ? 0 : 1);
      for (int i = 0; i < bounds.size(); i++) {
        int element = i / bounds.parts();
        if (large.doubleAt(element) > accumulator.type().maxFinite()
            || small.doubleAt(element) < accumulator.least()) {
          bounds.setAnything(i);
        } else {
          double roundings = counts.doubleAt(element) - 1;
          boolean rounds = roundings > 1 || bounds.type() != accumulator.type();
          double units = accumulator.unit() + Bounds.unit(bounds.type()); // the reference's, too
          bounds.widen(
              i,
              rounds && roundings > 0
                  ? bounds.parts() * bounds.parts() * roundings * units * bounds.modulus(element)
                  : 0);
        }
      }
    }

    @Override
    public String words() {
      return "factors multiplied in " + accumulator.type() + " in any order";
    }
  }

  /**
   * Fourier transforms: 2 (2 + log2 n) roundings of the norm of each line. A line with a NaN or an
   * infinity, or that may overflow, is anything.
   *
   * @param fft the op
   * @param accumulator the type in which it is computed
   */
  record Line(Fft fft, Accumulator accumulator) implements Allowance {
    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      int length = Math.toIntExact(Math.max(1, fft.fftLength().product()));
      Bounds from = new Bounds(operands.get(0));
      int lines = Math.max(1, lines(operands.get(0).arrayShape()));
      double logs = 2 + Math.log(length) / Math.log(2);
      double scale = Math.sqrt(length) / (fft.fftType().isInverse() ? length : 1);
      for (int line = 0; line < lines; line++) {
        double norm = norm(from, line, from.size() / lines);
        double most = norm * Math.sqrt(length);
        double error = 2 * logs * accumulator.unit() * norm * scale;
        double underflow = length * accumulator.least();
        int size = bounds.size() / lines;
        for (int i = line * size; i < (line + 1) * size; i++) {
          if (!(most <= accumulator.type().maxFinite() / 2) || !Double.isFinite(bounds.value(i))) {
            bounds.setAnything(i);
          } else if (norm == 0) {
            bounds.includeZeros(i);
          } else {
            bounds.widen(i, error + underflow);
          }
        }
      }
    }

    private int lines(Shape.Array shape) {
      return Math.toIntExact(
          shape.sizes().subList(0, shape.rank() - fft.fftLength().count()).product());
    }

    /** Returns the 2-norm of some components; of half a line twice its numbers. */
    private double norm(Bounds from, int line, int size) {
      double greatest = 0;
      for (int i = line * size; i < (line + 1) * size; i++) {
        double number = Math.abs(from.value(i));
        greatest = Double.isNaN(number) ? Double.NaN : Math.max(greatest, number);
      }
      double sum = 0;
      for (int i = line * size; greatest > 0 && i < (line + 1) * size; i++) {
        double number = from.value(i) / greatest;
        sum += number * number;
      }
      return greatest * Math.sqrt(fft.fftType() == Fft.FftType.IRFFT ? 2 * sum : sum);
    }

    @Override
    public String words() {
      return "a transform of " + fft.fftLength().product() + " numbers in " + accumulator.type();
    }
  }

  /**
   * A function of CHLO that a program calls: its published errors, whatever its computation says.
   *
   * @param function the function
   */
  record Composite(CompositeFunction function) implements Allowance {
    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      for (int i = 0; i < bounds.size(); i++) {
        int element = i;
        double[] in = operands.stream().mapToDouble(each -> each.doubleAt(element)).toArray();
        if (Double.isFinite(bounds.value(i)) && Arrays.stream(in).allMatch(Double::isFinite)) {
          double error = function.allowance(bounds.type(), bounds.value(i), in);
          bounds.include(i, bounds.type().round(bounds.value(i) - error));
          bounds.include(i, bounds.type().round(bounds.value(i) + error));
        }
      }
    }

    @Override
    public String words() {
      return function.compositeName() + " as systems publish its error";
    }
  }

  /**
   * A result that a system may use without its own rounding: a product that is added, a chain of
   * narrow types that is computed in f32, arithmetic with more digits. It moves to the next number
   * on the side of the exact value.
   *
   * @param computed the instruction whose result it is
   */
  record Unrounded(HloInstruction computed) implements Allowance {
    @Override
    public void apply(Bounds bounds, int output, List<Literal> operands) {
      boolean isConvert = computed.op() instanceof Convert;
      boolean areFloats = operands.stream().allMatch(each -> each.elementType().isFloating());
      for (int i = 0; areFloats && i < bounds.size(); i++) {
        double number = bounds.value(i);
        double x = operands.get(0).doubleAt(i);
        double y = operands.get(operands.size() - 1).doubleAt(i);
        double error = isConvert ? x - number : error(number, x, y);
        if (Double.isInfinite(number) && Double.isFinite(x) && Double.isFinite(y) && y != 0) {
          bounds.include(i, Math.copySign(bounds.type().maxFinite(), number));
        } else if (error != 0 && Double.isFinite(error)) {
          bounds.include(i, bounds.type().stepped(number, error > 0 ? 1 : -1));
        }
      }
    }

    /** Returns how far the exact value is above the rounded one, but for its own rounding. */
    private double error(double rounded, double x, double y) {
      return switch (((Elementwise) computed.op()).kind()) {
        case ADD -> sumError(x, y, rounded);
        case SUBTRACT -> sumError(x, -y, rounded);
        case MULTIPLY -> Math.fma(x, y, -rounded);
        case DIVIDE -> y > 0 ? Math.fma(-rounded, y, x) : Math.fma(rounded, y, -x);
        default -> Math.fma(-rounded, rounded, x);
      };
    }

    /** Returns the error of a rounded sum, exactly: that of the larger operand is exact. */
    private static double sumError(double x, double y, double rounded) {
      double large = Math.abs(x) > Math.abs(y) ? x : y;
      double small = large == x ? y : x;
      return small - (rounded - large);
    }

    @Override
    public String words() {
      return computed.name() + " without its own rounding";
    }
  }
}
