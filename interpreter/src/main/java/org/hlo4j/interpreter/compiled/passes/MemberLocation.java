package org.hlo4j.interpreter.compiled.passes;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a member of a fusion is evaluated, seen from the loop over the elements of the whole.
 *
 * @param at which index: of the element itself, of its row, or another that a movement leads to
 * @param isRepeated whether the same element is evaluated more than once
 */
record MemberLocation(Object at, boolean isRepeated) {
  /** At the index of each element. */
  static final MemberLocation FULL = new MemberLocation("full", false);

  /** Once for each row, which leading dimensions number. */
  static final MemberLocation ROW = new MemberLocation("row", false);

  /** Over and over. */
  static final MemberLocation REPEATED = new MemberLocation("repeated", true);

  /** Where an operand of a movement is evaluated. */
  static MemberLocation moved(Object by, int operand, MemberLocation user) {
    return user.isRepeated ? REPEATED : new MemberLocation(List.of(by, operand), false);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MemberLocation that
        && isRepeated == that.isRepeated
        && at.equals(that.at);
  }

  @Override
  public int hashCode() {
    return at.hashCode();
  }

  /** Where something is evaluated that is used here and there. */
  MemberLocation and(MemberLocation other) {
    return equals(other) ? this : REPEATED;
  }
}
