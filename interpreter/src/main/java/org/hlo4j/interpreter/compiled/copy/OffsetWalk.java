package org.hlo4j.interpreter.compiled.copy;

import java.util.Arrays;
import org.hlo4j.hlo.Dims;

/** The offsets {@code sum of index[d] * strides[d]} of all indices, in row-major order. */
public final class OffsetWalk {
  private final int[] sizes;
  private final int[] strides;
  private final int count;

  /**
   * Creates a walk over an index space. Dimensions that are contiguous with each other are
   * collapsed.
   */
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

  /** Returns a walk over some dimensions of an array. The indices of the others are 0. */
  public static OffsetWalk ofDimensions(Dims dimensions, Dims sizes, int[] strides) {
    return new OffsetWalk(Strides.ints(sizes.at(dimensions)), Strides.at(strides, dimensions));
  }

  public int count() {
    return count;
  }

  /** Returns whether the offsets have the constant stride {@code step}. */
  public boolean hasStride(int step) {
    return sizes.length == 0 || (sizes.length == 1 && strides[0] == step);
  }

  /** {@return the constant stride of the offsets; -1 if there is none} */
  public int constantStride() {
    return sizes.length > 1 ? -1 : sizes.length == 0 ? 0 : strides[0];
  }

  /** Returns the offset of the index with a number. */
  public int at(int number) {
    int remaining = number;
    int offset = 0;
    for (int d = sizes.length - 1; d > 0; d--) {
      offset += remaining % sizes[d] * strides[d];
      remaining /= sizes[d];
    }
    return sizes.length == 0 ? 0 : offset + remaining * strides[0];
  }

  /** Computes the offsets of {@code many} indices, from number {@code first} on. */
  public void fill(int first, int length, int[] offsets) {
    int last = sizes.length - 1;
    int line = last < 0 ? 1 : sizes[last];
    int step = last < 0 ? 0 : strides[last];
    for (int i = 0; i < length; ) {
      int offset = at(first + i);
      int end = Math.min(length, i + line - (first + i) % line);
      for (; i < end; i++) {
        offsets[i] = offset;
        offset += step;
      }
    }
  }

  /** Returns all offsets. */
  public int[] all() {
    int[] offsets = new int[count];
    fill(0, count, offsets);
    return offsets;
  }
}
