package org.hlo4j.interpreter.compiled.copy;

import java.util.Arrays;
import org.hlo4j.hlo.Dims;

/** The offsets {@code sum of index[d] * strides[d]} of all indices in row-major order. */
public final class OffsetWalk {
  private final int[] sizes;
  private final int[] strides;
  private final int count;

  /** A walk over some sizes; dimensions that lie in each other are joined. */
  public OffsetWalk(int[] sizes, int[] strides) {
    int[] joinedSizes = new int[sizes.length];
    int[] joinedStrides = new int[sizes.length];
    int rank = 0;
    for (int d = 0; d < sizes.length; d++) {
      if (rank > 0 && joinedStrides[rank - 1] == strides[d] * sizes[d]) {
        joinedSizes[rank - 1] *= sizes[d];
        joinedStrides[rank - 1] = strides[d];
      } else if (sizes[d] != 1) {
        joinedSizes[rank] = sizes[d];
        joinedStrides[rank++] = strides[d];
      }
    }
    this.sizes = Arrays.copyOf(joinedSizes, rank);
    this.strides = Arrays.copyOf(joinedStrides, rank);
    this.count = Strides.product(this.sizes);
  }

  /** A walk along some dimensions of an array, the others being 0. */
  public static OffsetWalk along(Dims dimensions, Dims sizes, int[] strides) {
    return new OffsetWalk(Strides.ints(sizes.at(dimensions)), Strides.at(strides, dimensions));
  }

  public int count() {
    return count;
  }

  /** Whether the offsets are consecutive multiples of a number. */
  public boolean isEven(int step) {
    return sizes.length == 0 || (sizes.length == 1 && strides[0] == step);
  }

  /** {@return of which number the offsets are consecutive multiples; -1 of none} */
  public int evenStep() {
    return sizes.length > 1 ? -1 : sizes.length == 0 ? 0 : strides[0];
  }

  /** The offset of one index, given its number. */
  public int at(int number) {
    int rest = number;
    int offset = 0;
    for (int d = sizes.length - 1; d > 0; d--) {
      offset += rest % sizes[d] * strides[d];
      rest /= sizes[d];
    }
    return sizes.length == 0 ? 0 : offset + rest * strides[0];
  }

  /** The offsets of so many indices from a number on. */
  public void fill(int first, int many, int[] offsets) {
    int last = sizes.length - 1;
    int line = last < 0 ? 1 : sizes[last];
    int step = last < 0 ? 0 : strides[last];
    for (int i = 0; i < many; ) {
      int offset = at(first + i);
      int end = Math.min(many, i + line - (first + i) % line);
      for (; i < end; i++) {
        offsets[i] = offset;
        offset += step;
      }
    }
  }

  /** All offsets. */
  public int[] all() {
    int[] offsets = new int[count];
    fill(0, count, offsets);
    return offsets;
  }
}
