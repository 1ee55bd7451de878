package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
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
    int[] merged = new int[sizes.count()];
    boolean[] isReduced = new boolean[sizes.count()];
    int count = 0;
    for (int i = 0; i < sizes.count(); i++) {
      boolean reduces = dimensions.contains(i);
      boolean joins = joinsInner || i != innermost;
      if (sizes.get(i) != 1 && joins && count > 0 && isReduced[count - 1] == reduces) {
        merged[count - 1] *= sizes.getInt(i);
      } else if (sizes.get(i) != 1) {
        merged[count] = sizes.getInt(i);
        isReduced[count++] = reduces;
      }
    }
    int inner = count == 0 ? 1 : merged[count - 1];
    boolean isInnerReduced = count == 0 || isReduced[count - 1];
    Offsets kept = walk(merged, isReduced, Math.max(0, count - 1), inner, false);
    Offsets reduced = walk(merged, isReduced, Math.max(0, count - 1), inner, true);
    return new ReductionSpace(inner, isInnerReduced, kept, reduced);
  }

  /** {@return the outer dimensions that are reduced, or those that are kept} */
  private static Offsets walk(
      int[] merged, boolean[] isReduced, int count, int inner, boolean reduces) {
    Deque<Integer> sizes = new ArrayDeque<>();
    Deque<Integer> strides = new ArrayDeque<>();
    int stride = inner;
    for (int i = count - 1; i >= 0; i--) {
      if (isReduced[i] == reduces) {
        sizes.addFirst(merged[i]);
        strides.addFirst(stride);
      }
      stride *= merged[i];
    }
    return Offsets.of(List.copyOf(sizes), List.copyOf(strides));
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
