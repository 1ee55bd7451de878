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
 * @param innerLoops the loops of the innermost dimension
 * @param keptLoops the other kept loops
 * @param reducedLoops the other reduced loops
 */
record ReductionSpace(
    int inner,
    boolean isInnerReduced,
    Offsets kept,
    Offsets reduced,
    Dims innerLoops,
    Dims keptLoops,
    Dims reducedLoops) {
  /**
   * Returns the space of nested loops, such as those over the dimensions of an array.
   *
   * @param counts the number of iterations of each
   * @param loops the loops that are reduced
   * @param most how many loops the innermost dimension may have at most
   */
  static ReductionSpace of(Dims counts, Dims loops, int most) {
    int innermost = counts.count() - 1;
    while (innermost > 0 && counts.get(innermost) == 1) {
      innermost--;
    }
    boolean isInnerReduced = counts.product() == 1 || loops.contains(innermost);
    int first = Math.max(0, innermost);
    while (first > Math.max(0, counts.count() - most)
        && (counts.get(first - 1) == 1 || loops.contains(first - 1) == isInnerReduced)) {
      first--;
    }
    Dims kept = Dims.range(0, first).without(loops);
    Dims reduced = Dims.range(0, first).without(kept);
    return new ReductionSpace(
        (int) counts.subList(first, counts.count()).product(),
        isInnerReduced,
        Offsets.ofDimensions(kept, counts),
        Offsets.ofDimensions(reduced, counts),
        Dims.range(first, counts.count()),
        kept,
        reduced);
  }

  /** {@return whether another space is that of loops over the same rows} */
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
