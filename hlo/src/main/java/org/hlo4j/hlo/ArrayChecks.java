package org.hlo4j.hlo;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSortedSet;

/** The validity checks of an array shape: sizes, dynamic dimensions, layout and element count. */
final class ArrayChecks {
  private ArrayChecks() {}

  /** Requires sizes of at least 0, or unbounded, dynamic dimensions that exist, and a count. */
  static void requireRight(
      ElementType elementType, Dims sizes, ImmutableSortedSet<Integer> dynamicDimensions) {
    require(
        sizes.count() <= Shape.MAX_RANK,
        HloException.Kind.LIMIT,
        "shape: got %s dimensions, want at most %s",
        sizes.count(),
        Shape.MAX_RANK);
    for (int i = 0; i < sizes.count(); i++) {
      boolean unbounded = sizes.get(i) == Shape.UNBOUNDED && dynamicDimensions.contains(i);
      require(
          sizes.get(i) >= 0 || unbounded,
          "",
          "shape: size of dimension %s got %s, want at least 0",
          i,
          sizes.get(i));
    }
    require(
        dynamicDimensions.isEmpty()
            || (dynamicDimensions.first() >= 0 && dynamicDimensions.last() < sizes.count()),
        "",
        "shape: dynamic dimensions %s, want each from 0 to below the rank %s",
        dynamicDimensions,
        sizes.count());
    requireCountable(elementType, sizes);
  }

  private static void requireCountable(ElementType elementType, Dims sizes) {
    if (sizes.contains(Shape.UNBOUNDED)) {
      return;
    }
    try {
      sizes.product();
    } catch (ArithmeticException overflow) {
      throw new HloException(
          "",
          "shape: the element count of "
              + elementType
              + sizes
              + " got above 2^63 - 1, want at most that");
    }
  }
}
