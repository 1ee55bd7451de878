package org.hlo4j.interpreter.compiled.loops;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.jspecify.annotations.Nullable;

/**
 * An array access of generated code: an array and an affine position in it.
 *
 * @param array the number of the array; {@link #NO_ARRAY} if the position itself is the value
 * @param type the type of the elements that are read or written
 * @param position the position, as a function of the counters of a {@link LoopNest}
 * @param isWorkspace whether the array holds one strip only, so that positions count from its start
 */
record ArraySlot(int array, ElementType type, AffineIndex position, boolean isWorkspace) {
  static final int NO_ARRAY = -1;

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ArraySlot that
        && array == that.array
        && type == that.type
        && isWorkspace == that.isWorkspace
        && position.equals(that.position);
  }

  @Override
  public int hashCode() {
    return 31 * array + position.hashCode();
  }

  /** Returns the slot at the same position in no array. It is equal for all slots at a position. */
  ArraySlot positionKey() {
    return new ArraySlot(NO_ARRAY, ElementType.S32, position, isWorkspace);
  }

  /** Returns whether the position is a value that may be beyond int. */
  boolean isWide() {
    return array == NO_ARRAY && type == ElementType.S64;
  }

  /**
   * Returns whether the position depends on the counter of the only loop alone, so that no base has
   * to be added.
   */
  boolean needsNoBase(LoopNest nest) {
    return !isWorkspace
        && position.base() == 0
        && nest.loops() == 1
        && position.counters() <= nest.loops();
  }
}
