package org.hlo4j.interpreter.compiled.folds;

import com.google.common.primitives.ImmutableIntArray;
import org.jspecify.annotations.Nullable;

/**
 * Positions of an array, in row-major order of some of its dimensions.
 *
 * @param sizes how many steps in each of them, outermost first
 * @param strides how far a step goes
 */
record Walk(ImmutableIntArray sizes, ImmutableIntArray strides) {
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Walk that && sizes.equals(that.sizes) && strides.equals(that.strides);
  }

  @Override
  public int hashCode() {
    return 31 * sizes.hashCode() + strides.hashCode();
  }

  /** How many positions. */
  int count() {
    int count = 1;
    for (int i = 0; i < sizes.length(); i++) {
      count *= sizes.get(i);
    }
    return count;
  }

  /** The position of a number. */
  int at(int number) {
    int last = sizes.length() - 1;
    if (last < 0) {
      return 0;
    } else if (last == 0) {
      return number * strides.get(0);
    }
    int position = 0;
    for (int rest = number, k = last; k >= 0; k--) {
      position += rest % sizes.get(k) * strides.get(k);
      rest /= sizes.get(k);
    }
    return position;
  }
}
