package org.hlo4j.interpreter.compiled.passes;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The location at which a member of a fusion is evaluated, relative to the loop over the elements
 * of the fusion.
 *
 * @param index the index: that of the element, that of its row, or one to which a movement op leads
 * @param isRepeated whether the same element is evaluated more than once
 */
record MemberLocation(Object index, boolean isRepeated) {
  /** The member is evaluated once for each element, at the element's index. */
  static final MemberLocation FULL = new MemberLocation("full", false);

  /** The member is evaluated once for each row; the leading dimensions number the rows. */
  static final MemberLocation ROW = new MemberLocation("row", false);

  /** The same element of the member is evaluated repeatedly. */
  static final MemberLocation REPEATED = new MemberLocation("repeated", true);

  /**
   * Returns where an operand of a movement op is evaluated.
   *
   * @param by the movement op
   * @param operand the number of the operand
   * @param user where the movement op is evaluated
   */
  static MemberLocation moved(Object by, int operand, MemberLocation user) {
    return user.isRepeated ? REPEATED : new MemberLocation(List.of(by, operand), false);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MemberLocation that
        && isRepeated == that.isRepeated
        && index.equals(that.index);
  }

  @Override
  public int hashCode() {
    return index.hashCode();
  }

  /** Returns where a value is evaluated that is used at this location and at another one. */
  MemberLocation merge(MemberLocation other) {
    return equals(other) ? this : REPEATED;
  }
}
