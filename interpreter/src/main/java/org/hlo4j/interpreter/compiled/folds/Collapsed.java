package org.hlo4j.interpreter.compiled.folds;

import org.hlo4j.hlo.Dims;

/**
 * An array of which some dimensions are folded, with as few dimensions as tell the same: those of
 * size 1 are left out, neighbours that are both kept or both folded are one. The innermost is set
 * apart: what lies along it lies side by side in memory.
 *
 * @param inner the size of the innermost dimension
 * @param foldsInner whether it is folded
 * @param kept the positions along the other kept dimensions
 * @param folded the positions along the other folded dimensions
 */
record Collapsed(int inner, boolean foldsInner, Walk kept, Walk folded) {
  static Collapsed of(Dims sizes, Dims dimensions) {
    int[] merged = new int[sizes.count()];
    boolean[] isFolded = new boolean[sizes.count()];
    int count = 0;
    for (int i = 0; i < sizes.count(); i++) {
      boolean folds = dimensions.contains(i);
      if (sizes.get(i) == 1) {
        continue;
      } else if (count > 0 && isFolded[count - 1] == folds) {
        merged[count - 1] *= sizes.getInt(i);
      } else {
        merged[count] = sizes.getInt(i);
        isFolded[count++] = folds;
      }
    }
    if (count == 0) {
      return new Collapsed(1, true, walk(merged, isFolded, 0, false), walk(merged, isFolded, 0, true));
    }
    return new Collapsed(
        merged[count - 1],
        isFolded[count - 1],
        walk(merged, isFolded, count - 1, false),
        walk(merged, isFolded, count - 1, true));
  }

  /** The dimensions before the innermost that are folded, or those that are not. */
  private static Walk walk(int[] merged, boolean[] isFolded, int inner, boolean folds) {
    int[] sizes = new int[inner];
    int[] strides = new int[inner];
    int taken = inner;
    int stride = merged.length == 0 ? 1 : merged[Math.min(inner, merged.length - 1)];
    for (int i = inner - 1; i >= 0; i--) {
      if (isFolded[i] == folds) {
        sizes[--taken] = merged[i];
        strides[taken] = stride;
      }
      stride *= merged[i];
    }
    return new Walk(
        java.util.Arrays.copyOfRange(sizes, taken, inner),
        java.util.Arrays.copyOfRange(strides, taken, inner));
  }

  /** How many elements are folded into each. */
  long depth() {
    return foldsInner ? (long) folded.count() * inner : folded.count();
  }

  /** How many results. */
  int results() {
    return foldsInner ? kept.count() : kept.count() * inner;
  }
}
