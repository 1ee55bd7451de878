package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.hlo.Dims;
import org.hlo4j.interpreter.compiled.index.Offsets;

/**
 * The shape of a reduction in as few dimensions as possible: dimensions of size 1 are removed, and
 * neighbours that are both kept or both reduced are merged. The innermost dimension, along which
 * elements are contiguous in memory, is separate from the others.
 *
 * @param inner the size of the innermost dimension
 * @param isInnerReduced whether it is reduced
 * @param kept the indices along the other kept dimensions
 * @param reduced the indices along the other reduced dimensions
 */
record ReductionSpace(int inner, boolean isInnerReduced, Offsets kept, Offsets reduced) {
  /**
   * Returns the space of an array.
   *
   * @param sizes the sizes of its dimensions
   * @param dimensions the dimensions that are reduced
   * @param joinsInner whether the innermost dimension may be merged with its neighbour; if not, a
   *     view may read each of its rows from elsewhere
   */
  static ReductionSpace of(Dims sizes, Dims dimensions, boolean joinsInner) {
    int innermost = sizes.count() - 1;
    while (innermost > 0 && sizes.get(innermost) == 1) {
      innermost--;
    }
    boolean isInnerReduced = sizes.product() == 1 || dimensions.contains(innermost);
    int first = Math.max(0, innermost);
    while (first > 0
        && (sizes.get(first - 1) == 1
            || (joinsInner && dimensions.contains(first - 1) == isInnerReduced))) {
      first--;
    }
    Dims outer = Dims.range(0, first);
    Dims kept = outer.without(dimensions);
    return new ReductionSpace(
        (int) sizes.subList(first, sizes.count()).product(),
        isInnerReduced,
        Offsets.ofDimensions(kept, sizes),
        Offsets.ofDimensions(outer.without(kept), sizes));
  }

  /** {@return whether another space is equal} */
  boolean isLike(ReductionSpace other) {
    return inner == other.inner
        && isInnerReduced == other.isInnerReduced
        && kept.equals(other.kept)
        && reduced.equals(other.reduced);
  }

  /** {@return the number of elements that are reduced into each result} */
  long depth() {
    return isInnerReduced ? (long) reduced.count() * inner : reduced.count();
  }

  /** {@return the number of results} */
  int results() {
    return isInnerReduced ? kept.count() : kept.count() * inner;
  }
}
