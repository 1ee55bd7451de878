package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.math.LongMath;
import org.hlo4j.hlo.Dims;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.Pieces;

/** Row-major positions of the elements of an array or of a part of it. */
public final class Offsets {
  private static final int MAX_ELEMENTS = Integer.MAX_VALUE - 8;

  private Offsets() {}

  /**
   * Returns, for each index below {@code sizes}, in row-major order, {@code sum of index[i] *
   * strides[i]}.
   */
  static int[] ofAllIndices(Dims sizes, Dims strides) {
    int[] offsets = new int[count(sizes)];
    int filled = offsets.length == 0 ? 0 : 1;
    for (int dimension = sizes.count() - 1; dimension >= 0 && filled > 0; dimension--) {
      int block = filled;
      for (int i = 1; i < sizes.get(dimension); i++) {
        for (int k = 0; k < block; k++) {
          Limits.checkAt(filled);
          offsets[filled++] = offsets[k] + (int) (i * strides.get(dimension));
        }
      }
    }
    return offsets;
  }

  private static int count(Dims sizes) {
    long count = sizes.contains(0) ? 0 : sizes.stream().reduce(1, LongMath::saturatedMultiply);
    require(
        count <= MAX_ELEMENTS,
        "",
        "run: sizes %s make %s elements, want at most %s",
        sizes,
        count,
        MAX_ELEMENTS);
    return (int) count;
  }

  /** Returns the positions of all indices along some dimensions of an array, the others being 0. */
  public static int[] ofDimensions(Dims dimensions, Dims sizes) {
    return ofAllIndices(sizes.at(dimensions), sizes.rowMajorStrides().at(dimensions));
  }

  /** Returns all sums of an outer and an inner offset, the inner ones varying fastest. */
  static int[] sums(int[] outer, int[] inner) {
    int[] sums = new int[Math.multiplyExact(outer.length, inner.length)];
    int next = 0;
    Pieces pieces = new Pieces();
    for (int start : outer) {
      pieces.next(inner.length);
      for (int offset : inner) {
        sums[next++] = start + offset;
      }
    }
    return sums;
  }

  /** Returns the position of one index. */
  static int ofIndex(Dims index, Dims strides) {
    return (int) index.times(strides).stream().sum();
  }
}
