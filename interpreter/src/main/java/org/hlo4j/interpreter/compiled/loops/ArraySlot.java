package org.hlo4j.interpreter.compiled.loops;

import org.hlo4j.hlo.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * A position that generated code is at, and the array it is in.
 *
 * @param array the number of the array; {@link #NO_ARRAY} if the position itself is the value
 * @param type what is read or written there
 * @param position the position, by the counters of a {@link LoopNest}
 * @param workspace whether the array holds a strip only, so that positions count from its start
 */
record ArraySlot(int array, ElementType type, AffineIndex position, boolean workspace) {
  static final int NO_ARRAY = -1;

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ArraySlot that
        && array == that.array
        && type == that.type
        && workspace == that.workspace
        && position.equals(that.position);
  }

  @Override
  public int hashCode() {
    return 31 * array + position.hashCode();
  }

  /** The same place in no array, by which all slots there know each other. */
  ArraySlot place() {
    return new ArraySlot(NO_ARRAY, ElementType.S32, position, workspace);
  }

  /** Whether the position is that of the innermost loop alone, so that nothing is to be added. */
  boolean isPlain(LoopNest nest) {
    return !workspace
        && position.base() == 0
        && nest.loops() == 1
        && position.counters() <= nest.loops();
  }
}
