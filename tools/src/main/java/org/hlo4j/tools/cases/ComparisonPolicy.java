package org.hlo4j.tools.cases;

import java.util.Locale;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.tools.console.ValueText;

/**
 * A comparison of an array with the expected one. An exact comparison is bit for bit, except that
 * any NaN equals any NaN. Otherwise the condition is {@code |got - want| <= atol + rtol * |want|},
 * where NaN equals NaN and infinities need equal signs; for complex numbers it is the absolute
 * value of the difference. Integers and booleans are always compared exactly.
 */
record ComparisonPolicy(boolean exact, double rtol, double atol) {
  /**
   * The element with the largest deviation.
   *
   * @param linear its row-major position
   * @param excess the ratio of the deviation to the allowed one; infinite if none is allowed
   * @param differing the number of elements that do not satisfy the comparison
   */
  record Worst(int linear, double excess, int differing) {}

  /** Compares arrays of the same shape; returns empty if all elements satisfy the comparison. */
  Optional<Worst> worst(Literal got, Literal want) {
    int worst = -1;
    double most = 0;
    int differing = 0;
    for (int i = 0; i < want.elementCount(); i++) {
      double excess = excess(got, want, i);
      if (excess > 1) {
        differing++;
        if (excess > most) {
          most = excess;
          worst = i;
        }
      }
    }
    return worst < 0 ? Optional.empty() : Optional.of(new Worst(worst, most, differing));
  }

  private double excess(Literal got, Literal want, int i) {
    ElementType type = want.elementType();
    return switch (type.kind()) {
      case PRED, SIGNED, UNSIGNED -> got.bitsAt(i) == want.bitsAt(i) ? 0 : Double.POSITIVE_INFINITY;
      case FLOAT -> exact ? exactExcess(got, want, i) : real(got.doubleAt(i), want.doubleAt(i));
      case COMPLEX ->
          exact
              ? Math.max(exactExcess(got, want, 2 * i), exactExcess(got, want, 2 * i + 1))
              : complex(got, want, i);
    };
  }

  private static double exactExcess(Literal got, Literal want, int component) {
    ElementType part = want.elementType().componentType();
    long gotBits = got.bitsAt(component);
    long wantBits = want.bitsAt(component);
    boolean equal =
        gotBits == wantBits
            || (Double.isNaN(part.decode(gotBits)) && Double.isNaN(part.decode(wantBits)));
    return equal ? 0 : Double.POSITIVE_INFINITY;
  }

  private double real(double got, double want) {
    if (got == want || (Double.isNaN(got) && Double.isNaN(want))) {
      return 0;
    }
    return Double.isFinite(got) && Double.isFinite(want)
        ? ratio(Math.abs(got - want), Math.abs(want))
        : Double.POSITIVE_INFINITY;
  }

  private double complex(Literal got, Literal want, int i) {
    double gotRe = got.realAt(i);
    double gotIm = got.imaginaryAt(i);
    double re = want.realAt(i);
    double im = want.imaginaryAt(i);
    if (isNan(gotRe, gotIm) || isNan(re, im)) {
      return isNan(gotRe, gotIm) && isNan(re, im) ? 0 : Double.POSITIVE_INFINITY;
    }
    if (isFinite(gotRe, gotIm) && isFinite(re, im)) {
      return ratio(Math.hypot(gotRe - re, gotIm - im), Math.hypot(re, im));
    }
    return Math.max(real(gotRe, re), real(gotIm, im));
  }

  private static boolean isNan(double re, double im) {
    return Double.isNaN(re) || Double.isNaN(im);
  }

  private static boolean isFinite(double re, double im) {
    return Double.isFinite(re) && Double.isFinite(im);
  }

  private double ratio(double difference, double magnitude) {
    double allowed = atol + rtol * magnitude;
    return difference <= allowed ? 0 : Math.max(Math.nextUp(1.0), difference / allowed);
  }

  /** Describes the worst element: its index, both values and their distance. */
  String describe(Worst worst, Literal got, Literal want) {
    Shape.Array shape = want.arrayShape();
    return String.format(
        Locale.ROOT,
        "at %s: got %s, want %s%s; %s of %s elements differ",
        index(shape, worst.linear()),
        ValueText.element(got, got.arrayShape(), worst.linear()),
        ValueText.element(want, shape, worst.linear()),
        distance(worst, got, want),
        worst.differing(),
        want.elementCount());
  }

  private String distance(Worst worst, Literal got, Literal want) {
    int i = worst.linear();
    return switch (want.elementType().kind()) {
      case PRED, SIGNED, UNSIGNED -> "";
      case FLOAT -> ulps(got, want, i) + allowance(worst);
      case COMPLEX ->
          ulps(got, want, 2 * i)
              + " and"
              + ulps(got, want, 2 * i + 1).substring(1)
              + allowance(worst);
    };
  }

  private String allowance(Worst worst) {
    return exact
        ? ", want it exact"
        : Double.isInfinite(worst.excess())
            ? ""
            : String.format(Locale.ROOT, ", %.3g times the tolerance", worst.excess());
  }

  /** Describes the distance of two floats. */
  static String ulps(Literal got, Literal want, int component) {
    ElementType part = want.elementType().componentType();
    long from = got.bitsAt(component);
    long to = want.bitsAt(component);
    if (Double.isNaN(part.decode(from)) || Double.isNaN(part.decode(to))) {
      return ", no number";
    }
    long distance = part.ulpsBetween(from, to);
    return ", " + distance + (distance == 1 ? " ulp" : " ulps");
  }

  private static String index(Shape.Array shape, int linear) {
    StringBuilder index = new StringBuilder();
    int rest = linear;
    for (int d = shape.rank() - 1; d >= 0; d--) {
      int size = (int) shape.size(d);
      index.insert(0, rest % size + (d == shape.rank() - 1 ? "" : ","));
      rest /= size;
    }
    return "{" + index + "}";
  }
}
