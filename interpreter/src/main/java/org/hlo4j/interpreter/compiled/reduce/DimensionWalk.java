package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.Ints;
import org.jspecify.annotations.Nullable;

/** A sequence of indices in an array: those along some of its dimensions, in row-major order. */
final class DimensionWalk {
  private final int[] sizes;
  private final int[] strides;

  /**
   * Creates a walk.
   *
   * @param sizes the size of each dimension, outermost first
   * @param strides the stride of each dimension
   */
  DimensionWalk(ImmutableIntArray sizes, ImmutableIntArray strides) {
    this.sizes = sizes.toArray();
    this.strides = strides.toArray();
  }

  /** {@return the size of each dimension, outermost first} */
  ImmutableIntArray sizes() {
    return ImmutableIntArray.copyOf(sizes);
  }

  /** {@return the stride of each dimension} */
  ImmutableIntArray strides() {
    return ImmutableIntArray.copyOf(strides);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DimensionWalk that
        && sizes().equals(that.sizes())
        && strides().equals(that.strides());
  }

  @Override
  public int hashCode() {
    return 31 * sizes().hashCode() + strides().hashCode();
  }

  @Override
  public String toString() {
    return sizes() + " by " + strides();
  }

  /** {@return a walk that makes the steps of another walk within each step of this one} */
  DimensionWalk then(DimensionWalk inner) {
    return new DimensionWalk(
        ImmutableIntArray.copyOf(Ints.concat(sizes, inner.sizes)),
        ImmutableIntArray.copyOf(Ints.concat(strides, inner.strides)));
  }

  /** {@return the number of indices} */
  int count() {
    int count = 1;
    for (int size : sizes) {
      count *= size;
    }
    return count;
  }

  /** {@return the index at a step of the walk} */
  int at(int number) {
    int last = sizes.length - 1;
    if (last < 0) {
      return 0;
    } else if (last == 0) {
      return number * strides[0];
    }
    int position = 0;
    for (int rest = number, k = last; k >= 0; k--) {
      position += rest % sizes[k] * strides[k];
      rest /= sizes[k];
    }
    return position;
  }
}
