package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.primitives.ImmutableIntArray;
import java.util.ArrayDeque;
import java.util.Deque;
import org.hlo4j.hlo.Dims;

/**
 * An array of which some dimensions are reduced, with as few dimensions as tell the same: those of
 * size 1 are left out, neighbours that are both kept or both reduced are one. The innermost is set
 * apart: what lies along it is contiguous in memory.
 *
 * @param inner the size of the innermost dimension
 * @param reductionsInner whether it is reduced
 * @param kept the positions along the other kept dimensions
 * @param reduced the positions along the other reduced dimensions
 */
record ReductionSpace(
    int inner, boolean reductionsInner, DimensionWalk kept, DimensionWalk reduced) {
  /**
   * The fewest dimensions of an array.
   *
   * @param sizes its sizes
   * @param dimensions those that are reduced
   * @param joinsInner whether the innermost may be one with its neighbour: if not, each of its rows
   *     may be read from another place
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
      boolean reductions = dimensions.contains(i);
      boolean joins = joinsInner || i != innermost;
      if (sizes.get(i) != 1 && joins && count > 0 && isReduced[count - 1] == reductions) {
        merged[count - 1] *= sizes.getInt(i);
      } else if (sizes.get(i) != 1) {
        merged[count] = sizes.getInt(i);
        isReduced[count++] = reductions;
      }
    }
    int inner = count == 0 ? 1 : merged[count - 1];
    boolean reductionsInner = count == 0 || isReduced[count - 1];
    DimensionWalk kept = walk(merged, isReduced, Math.max(0, count - 1), inner, false);
    DimensionWalk reduced = walk(merged, isReduced, Math.max(0, count - 1), inner, true);
    return new ReductionSpace(inner, reductionsInner, kept, reduced);
  }

  /** The dimensions before the innermost that are reduced, or those that are not. */
  private static DimensionWalk walk(
      int[] merged, boolean[] isReduced, int count, int inner, boolean reductions) {
    Deque<Integer> sizes = new ArrayDeque<>();
    Deque<Integer> strides = new ArrayDeque<>();
    int stride = inner;
    for (int i = count - 1; i >= 0; i--) {
      if (isReduced[i] == reductions) {
        sizes.addFirst(merged[i]);
        strides.addFirst(stride);
      }
      stride *= merged[i];
    }
    return new DimensionWalk(ImmutableIntArray.copyOf(sizes), ImmutableIntArray.copyOf(strides));
  }

  /** Whether another tells the same. */
  boolean isLike(ReductionSpace other) {
    return inner == other.inner
        && reductionsInner == other.reductionsInner
        && kept.equals(other.kept)
        && reduced.equals(other.reduced);
  }

  /** How many elements are reduced into each. */
  long depth() {
    return reductionsInner ? (long) reduced.count() * inner : reduced.count();
  }

  /** How many results. */
  int results() {
    return reductionsInner ? kept.count() : kept.count() * inner;
  }
}
