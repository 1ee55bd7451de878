package org.hlo4j.tools.cases;

import java.util.Locale;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.stablehlo.Check;
import org.hlo4j.tools.console.ValueText;

/** The comparison of two values of a self-checking program by the rule of its check. */
final class CheckComparator {
  private final Check check;

  CheckComparator(Check check) {
    this.check = check;
  }

  /** Describes the first element that violates the check; returns empty if there is none. */
  Optional<String> problem(Literal got, Literal want) {
    if (got.elements().isEmpty() && got.shape() instanceof org.hlo4j.hlo.Shape.Array) {
      int parts = got.elementType().componentCount();
      for (int i = 0; i < got.elementCount() * parts; i++) {
        if (!holds(got.elementType().componentType(), got.bitsAt(i), want.bitsAt(i))) {
          return Optional.of(describe(got, want, i, i / parts));
        }
      }
    }
    return Optional.empty();
  }

  private boolean holds(ElementType part, long got, long want) {
    return part.isFloating()
        ? realsHold(part, got, want)
        : got == want
            || (check.rule() == Check.Rule.ALMOST_EQUAL
                && Math.abs((double) part.wrap(got) - part.wrap(want)) <= check.tolerance());
  }

  private boolean realsHold(ElementType part, long gotBits, long wantBits) {
    double got = part.decode(gotBits);
    double want = part.decode(wantBits);
    if (Double.isNaN(got) || Double.isNaN(want)) {
      return Double.isNaN(got) && Double.isNaN(want);
    }
    return switch (check.rule()) {
      case EQUAL -> got == want;
      case ALMOST_EQUAL, EQUAL_OR_ALMOST ->
          got == want || Math.abs(got - want) <= check.tolerance();
      case CLOSE -> isClose(part, got, want, gotBits, wantBits);
    };
  }

  /**
   * Returns whether the distance is allowed. The distance of values of different signs is the sum
   * of their distances to zero.
   */
  private boolean isClose(ElementType part, double got, double want, long gotBits, long wantBits) {
    if (!Double.isFinite(got) || !Double.isFinite(want)) {
      return gotBits == wantBits;
    }
    long distance = part.ulpsBetween(gotBits, wantBits);
    return distance >= check.minUlps() && distance <= check.maxUlps();
  }

  private String describe(Literal got, Literal want, int component, int element) {
    ElementType part = got.elementType().componentType();
    String distance = part.isFloating() ? ComparisonPolicy.ulps(got, want, component) : "";
    return String.format(
        Locale.ROOT,
        "%s: element %s got %s, want %s%s",
        check.place(),
        element,
        ValueText.element(got, got.arrayShape(), element),
        ValueText.element(want, want.arrayShape(), element),
        distance);
  }
}
