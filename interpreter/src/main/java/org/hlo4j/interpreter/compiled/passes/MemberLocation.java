package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.List;
import java.util.function.IntPredicate;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;
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
  private static MemberLocation moved(Object by, int operand, MemberLocation user) {
    return user.isRepeated ? REPEATED : new MemberLocation(List.of(by, operand), false);
  }

  /**
   * Returns where an operand of a member is evaluated.
   *
   * @param user the member
   * @param index the number of the operand
   * @param location where the member is evaluated
   * @param mayBeOfRows whether an array of a rank may have an element for each row
   * @return the location; null if the operand cannot be a member
   */
  static @Nullable MemberLocation ofOperand(
      HloInstruction user, int index, MemberLocation location, IntPredicate mayBeOfRows) {
    if (!(user.operands().get(index).shape() instanceof Shape.Array operand)) {
      return null;
    }
    return switch (OpTraits.of(user.op()).family()) {
      case ELEMENTWISE -> operand.sizes().equals(array(user).sizes()) ? location : REPEATED;
      case MOVEMENT ->
          switch (user.op()) {
            case Broadcast op -> {
              boolean isRow =
                  location.equals(FULL)
                      && !operand.isScalar()
                      && mayBeOfRows.test(operand.rank())
                      && op.dimensions().equals(Dims.range(0, operand.rank()));
              yield isRow ? ROW : REPEATED;
            }
            case Pad _ when index == 1 -> REPEATED;
            case Gather _ -> index == 1 ? location : null;
            default ->
                index > 0 && OpTraits.of(user.op()).has(Trait.INDEXED)
                    ? null // a start index has to be an input
                    : moved(user, index, location);
          };
      case OTHER ->
          user.op() instanceof Reduce
              ? index < user.operands().size() / 2 ? FULL : REPEATED
              : index == MemberRules.indicesOperand(user) ? location : null;
      case EFFECT, CONTROL, PLUMBING -> null;
    };
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
