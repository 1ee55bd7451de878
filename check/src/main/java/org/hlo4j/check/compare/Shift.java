package org.hlo4j.check.compare;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Elementwise;

/**
 * The custom calls of a {@link Perturbed} module in one run. They shift every element by as much as
 * its tolerance allows: up in the first run, down in the second, and in random directions in the
 * others.
 */
final class Shift {
  /** The run in which what may be 0 is 0. */
  private static final int ZERO_RUN = 3;

  private final int run;
  private final boolean flushes;
  private final boolean isReordering;
  private final SplittableRandom random;

  Shift(int run, ToleranceProfile profile, boolean isReordering) {
    this.run = run;
    this.isReordering = isReordering;
    this.flushes = profile instanceof ToleranceProfile.Native;
    this.random = new SplittableRandom(run);
  }

  /** Returns how much of a tolerance is used: all of it in most runs, any part in every third. */
  private double fraction() {
    return run > 1 && run % 3 == 2 ? random.nextDouble() : 1;
  }

  private boolean isUp() {
    return run == 0 || (run > 1 && random.nextBoolean());
  }

  /** Returns whether this run reorders what may have any order, and shifts nothing else. */
  boolean reorders() {
    return isReordering && run % 2 == 1;
  }

  /**
   * Returns the first operand shifted. The second operand of a sum holds its magnitudes; the second
   * and third of a product the products of its factors above and below 1; those of arithmetic are
   * its own operands.
   */
  Literal shifted(Tolerance tolerance, List<Literal> operands) {
    Literal value = operands.get(0);
    if (tolerance instanceof Tolerance.Order order) {
      return reorders() ? reordered(value, order.dimension()) : value;
    } else if (reorders()) {
      return value;
    }
    if (tolerance instanceof Tolerance.Normalization norm) {
      return normalized(norm, value);
    }
    return value.shape() instanceof Shape.Tuple
        ? Literal.tuple(
            IntStream.range(0, value.elements().size())
                .mapToObj(i ->
                    shifted(
                        tolerance instanceof Tolerance.Decomposition decomposition
                            ? decomposition.of(value, i)
                            : tolerance,
                        operands.stream().map(part -> part.element(i)).toList()))
                .toArray(Literal[]::new))
        : shiftedArray(tolerance, operands);
  }

  /** Returns the shifted output, means and variances of a batch norm. */
  private Literal normalized(Tolerance.Normalization norm, Literal value) {
    List<Literal> parts =
        value.elements().stream().map(part -> shiftedArray(norm.spread(), List.of(part))).toList();
    Literal means = value.element(1);
    ElementType type = means.elementType();
    LiteralBuilder variances = new LiteralBuilder(means.arrayShape());
    for (int i = 0; i < means.elementCount(); i++) {
      double error = norm.roundings() * 0x1p-53 * means.doubleAt(i);
      double variance = parts.get(2).doubleAt(i);
      double most = error * error;
      boolean isMoved = isUp() || variance < most;
      variances.setBits(
          i,
          Double.isFinite(most) && most > 0
              ? type.encode(isMoved ? variance + most : variance - most)
              : parts.get(2).bitsAt(i));
    }
    return Literal.tuple(parts.get(0), parts.get(1), variances.build());
  }

  /** Returns an array with its elements along a dimension in an order that depends on the run. */
  private Literal reordered(Literal value, int dimension) {
    Shape.Array shape = value.arrayShape();
    int size = (int) shape.size(dimension);
    int stride = (int) shape.sizes().rowMajorStrides().get(dimension);
    int[] order = IntStream.range(0, size).toArray();
    SplittableRandom choices = new SplittableRandom(31L * size + run);
    for (int i = size - 1; i > 0; i--) {
      int other = choices.nextInt(i + 1);
      int moved = order[i];
      order[i] = order[other];
      order[other] = moved;
    }
    LiteralBuilder result = new LiteralBuilder(shape);
    int parts = value.elementType().isComplex() ? 2 : 1;
    for (int i = 0; i < value.elementCount(); i++) {
      int at = i / stride % size;
      int from = i + (order[at] - at) * stride;
      for (int part = 0; part < parts; part++) {
        result.setBits(i * parts + part, value.bitsAt(from * parts + part));
      }
    }
    return result.build();
  }

  private Literal shiftedArray(Tolerance tolerance, List<Literal> operands) {
    Literal value = operands.get(0);
    ElementType type = value.elementType().componentType();
    int parts = value.elementType().isComplex() ? 2 : 1;
    boolean isExact = operands.size() > 1 && operands.get(1).elementType().isComplex();
    if (!type.isFloating() || isExact) {
      return value;
    }
    LiteralBuilder result = new LiteralBuilder(value.arrayShape());
    int components = components(value);
    int together =
        tolerance instanceof Tolerance.Spread spread && spread.together() < value.elementCount()
            ? parts * spread.together()
            : Math.max(1, components);
    double[] greatest =
        tolerance instanceof Tolerance.Spread ? greatest(operands, type, together) : new double[0];
    for (int i = 0; i < components; i++) {
      long bits = value.bitsAt(i);
      long shifted =
          switch (tolerance) {
            case Tolerance.None _, Tolerance.Order _ -> bits;
            case Tolerance.Decomposition _, Tolerance.Normalization _ -> bits; // tuples
            case Tolerance.Any _ -> anything(type);
            case Tolerance.Ulps ulps -> stepped(type, bits, ulps.count());
            case Tolerance.Spread spread -> spread(type, bits, spread, greatest[i / together]);
            case Tolerance.Sum sum -> moved(type, bits, sum, operands.get(1).doubleAt(i / parts));
            case Tolerance.Arithmetic arithmetic -> computed(type, bits, arithmetic, operands, i);
            case Tolerance.Constants constants ->
                moved(
                    type,
                    bits,
                    constants.sum(),
                    magnitude(type, operands.subList(1, operands.size()), i));
            case Tolerance.Product product ->
                isWithinRange(type, operands.get(1).doubleAt(i), operands.get(2).doubleAt(i))
                    ? stepped(type, bits, product.ulps())
                    : anything(type);
            case Tolerance.Modulus modulus ->
                shiftedBy(type, bits, modulus.ulps() * modulus(value, type, i / parts));
          };
      result.setBits(i, flushes ? flushed(type, shifted) : shifted);
    }
    return result.build();
  }

  private long computed(
      ElementType type, long bits, Tolerance.Arithmetic op, List<Literal> operands, int i) {
    Literal first = operands.get(1);
    Literal second = operands.get(2);
    int count = operands.get(0).elementCount();
    if (first.elementCount() != count || second.elementCount() != count) {
      return stepped(type, bits, op.ulps());
    }
    double a = first.doubleAt(i);
    double b = second.doubleAt(i);
    double value = type.decode(bits);
    boolean isSum = op.kind() == Elementwise.Kind.ADD || op.kind() == Elementwise.Kind.SUBTRACT;
    boolean byZero = op.kind() == Elementwise.Kind.DIVIDE && b == 0;
    if (!Double.isFinite(value) && Double.isFinite(a) && Double.isFinite(b) && !byZero) {
      return anything(type);
    } else if (value == 0 && isSum && a == 0 && b == 0) {
      return type.encode(isUp() ? 0.0 : -0.0);
    } else if (value == 0 && !isSum && a != 0 && Double.isFinite(b) && b != 0) {
      double least = Math.max(leastNormal(type), type.decode(1));
      return type.encode(isUp() ? least : -least);
    }
    return stepped(type, bits, op.ulps());
  }

  /** Returns the sum of the magnitudes of some terms; infinity if it overflows in their type. */
  private static double magnitude(ElementType type, List<Literal> terms, int i) {
    double sum = terms.stream().mapToDouble(term -> Math.abs(term.doubleAt(i))).sum();
    return type.decode(type.encode(sum));
  }

  /** Returns whether the factors of a product neither overflow nor underflow, in any order. */
  private static boolean isWithinRange(ElementType type, double large, double small) {
    return Double.isFinite(large) && small > 0 && small >= leastNormal(type);
  }

  private static double modulus(Literal value, ElementType type, int element) {
    return Math.hypot(
        type.decode(value.bitsAt(2 * element)), type.decode(value.bitsAt(2 * element + 1)));
  }

  private long shiftedBy(ElementType type, long bits, double distance) {
    double value = type.decode(bits);
    double most = fraction() * distance * unit(type);
    return Double.isFinite(value) && Double.isFinite(most)
        ? type.encode(value + (isUp() ? most : -most))
        : bits;
  }

  /** Returns half a step from 1 to the next number. */
  private static double unit(ElementType type) {
    return Math.scalb(1.0, -type.mantissaBits() - 1);
  }

  /** Returns the least number that is not denormal; 0 for f16, which is computed in f32. */
  static double leastNormal(ElementType type) {
    return switch (type) {
      case F64 -> Double.MIN_NORMAL;
      case F32, BF16 -> Float.MIN_NORMAL;
      default -> 0;
    };
  }

  /** Returns a denormal number or, in some runs, zero. */
  private long flushed(ElementType type, long bits) {
    double value = type.decode(bits);
    boolean isZero = Math.abs(value) < leastNormal(type) && !isUp();
    return isZero ? type.encode(Math.copySign(0.0, value)) : bits;
  }

  /**
   * Returns the largest magnitude of each result of so many components, and of what it was computed
   * from, if that is there; NaN if it has one. One that is infinite in the type was a number before
   * it was rounded, of as many terms as there are.
   */
  private static double[] greatest(List<Literal> operands, ElementType type, int together) {
    int components = components(operands.get(0));
    double[] greatest = new double[Math.ceilDiv(components, together)];
    for (Literal each : operands) {
      int all = components(each);
      for (int i = 0; i < all && components > 0; i++) {
        int result = (int) ((long) i * greatest.length / all);
        double magnitude = Math.abs(type.decode(each.bitsAt(i)));
        greatest[result] =
            Math.max(
                greatest[result],
                Double.isInfinite(magnitude) ? type.maxFinite() * together : magnitude);
      }
    }
    return greatest;
  }

  private static int components(Literal value) {
    return value.elementCount() * (value.elementType().isComplex() ? 2 : 1);
  }

  /**
   * Returns whether a result may be anything: if it has a NaN, or an infinity of its own type, or
   * terms so large that their partial sums overflow f64.
   */
  private static boolean isAnything(ElementType type, Tolerance.Spread spread, double greatest) {
    double most = spread.inOwnType() ? type.maxFinite() : Double.MAX_VALUE;
    long slack = spread.inOwnType() ? 0 : Math.min(64, spread.roundings() / 2);
    return Double.isNaN(greatest) || greatest > Math.scalb(most, (int) -slack);
  }

  private long spread(ElementType type, long bits, Tolerance.Spread spread, double greatest) {
    if (isAnything(type, spread, greatest)) {
      return anything(type);
    }
    double rounding = spread.inOwnType() ? unit(type) : 0x1p-53;
    double least = spread.together() * Double.MIN_VALUE; // of terms that are denormal
    double most = fraction() * Math.max(spread.roundings() * rounding * greatest, least);
    double value = type.decode(bits);
    if (!Double.isFinite(value)) {
      return anything(type);
    } else if (greatest == 0) {
      return type.encode(isUp() ? 0.0 : -0.0);
    }
    return shiftedTo(type, value, most);
  }

  /**
   * Returns a number moved by a distance and one step. One run makes 0 of what may be 0, where a
   * function may have a pole.
   */
  private long shiftedTo(ElementType type, double value, double distance) {
    return run == ZERO_RUN && Math.abs(value) <= distance
        ? type.encode(0)
        : stepped(type, type.encode(value + (isUp() ? distance : -distance)), 1);
  }

  /** Moves a number up or down by a number of representable values; 0, infinity and NaN stay. */
  private long stepped(ElementType type, long bits, long steps) {
    double value = type.decode(bits);
    if (steps == 0 || value == 0 || !Double.isFinite(value)) {
      return bits;
    }
    boolean outwards = isUp() == value > 0;
    long sign = bits & (1L << (type.bits() - 1));
    long magnitude = bits ^ sign;
    long most = type.encode(type.hasInfinity() ? Double.POSITIVE_INFINITY : type.maxFinite());
    return sign | (outwards ? Math.min(most, magnitude + steps) : Math.max(0, magnitude - steps));
  }

  private long anything(ElementType type) {
    double beyond = type.hasInfinity() ? Double.POSITIVE_INFINITY : type.maxFinite();
    return type.encode(
        switch (run < 4 ? run : random.nextInt(5)) {
          case 0 -> type.hasNaN() ? Double.NaN : beyond;
          case 1 -> 0;
          case 2 -> beyond;
          case 3 -> -beyond;
          default -> random.nextGaussian();
        });
  }

  /**
   * Shifts a sum. A sum whose magnitudes overflow may become anything, since it may overflow in one
   * order only; a sum of zeros may become either zero.
   */
  private long moved(ElementType type, long bits, Tolerance.Sum sum, double magnitude) {
    if (!Double.isFinite(magnitude)) {
      return anything(type);
    }
    double value = type.decode(bits);
    if (!Double.isFinite(value)) {
      return bits;
    }
    if (magnitude == 0) {
      return value == 0 ? type.encode(isUp() ? 0.0 : -0.0) : anything(type);
    }
    double unit = sum.inOwnType() ? unit(type) : type == ElementType.F64 ? 0x1p-53 : 0x1p-24;
    double least = type == ElementType.F64 ? Double.MIN_VALUE : Float.MIN_VALUE;
    double rounding =
        Math.max(sum.terms() * unit * magnitude, Math.ceilDiv(sum.terms(), 2) * least);
    double most = fraction() * rounding;
    return shiftedTo(type, value, most);
  }
}
