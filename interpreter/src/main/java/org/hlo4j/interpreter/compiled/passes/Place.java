package org.hlo4j.interpreter.compiled.passes;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a member of a fusion is evaluated, seen from the loop over the elements of the whole.
 *
 * @param at which index: of the element itself, of its row, or another that a movement leads to
 * @param isRepeated whether the same element is evaluated more than once
 */
record Place(Object at, boolean isRepeated) {
  /** At the index of each element. */
  static final Place FULL = new Place("full", false);

  /** Once for each row, which leading dimensions number. */
  static final Place ROW = new Place("row", false);

  /** Over and over. */
  static final Place REPEATED = new Place("repeated", true);

  /** Where an operand of a movement is evaluated. */
  static Place moved(Object by, int operand, Place user) {
    return user.isRepeated ? REPEATED : new Place(List.of(by, operand), false);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Place that && isRepeated == that.isRepeated && at.equals(that.at);
  }

  @Override
  public int hashCode() {
    return at.hashCode();
  }

  /** Where something is evaluated that is used here and there. */
  Place and(Place other) {
    return equals(other) ? this : REPEATED;
  }
}
