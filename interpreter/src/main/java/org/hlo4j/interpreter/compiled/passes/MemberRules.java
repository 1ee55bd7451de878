package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;
import org.hlo4j.interpreter.engine.OpTraits.Trait;

/** What an instruction is to a {@link Group} that may accept it, whatever else is in the group. */
final class MemberRules {
  /**
   * The number of rows that is enough to share among threads; with at most {@link
   * #MAX_SERIAL_ELEMENTS} elements there is no need to share.
   */
  private static final long MIN_ROWS = 4;

  private static final long MAX_SERIAL_ELEMENTS = 64 * 1024;

  private static final long MIN_MOVED_ELEMENTS = 1024;

  private MemberRules() {}

  /** Returns which operand of a gather or scatter holds its indices; -1 for other instructions. */
  static int indicesOperand(HloInstruction instruction) {
    boolean isIndexed = instruction.op() instanceof Gather || instruction.op() instanceof Scatter;
    return isIndexed ? instruction.operands().size() / 2 : -1;
  }

  /**
   * Returns whether an instruction computes integers, which takes little more than to read them.
   */
  static boolean isIndex(HloInstruction instruction) {
    return array(instruction).elementType().isIntegral()
        || array(instruction).elementType() == ElementType.PRED;
  }

  /** Returns whether an instruction computes or broadcasts elements, but does not move them. */
  static boolean isIndexPreserving(HloInstruction instruction) {
    return OpTraits.of(instruction.op()).family() == Family.ELEMENTWISE
        || instruction.op() instanceof Broadcast
        || instruction.op() instanceof Iota;
  }

  /** Returns whether there are enough rows to share among threads, or little work. */
  static boolean hasEnoughRows(Dims rows, Dims all) {
    return rows.product() >= MIN_ROWS || all.product() <= MAX_SERIAL_ELEMENTS;
  }

  /** Returns whether a reduction reduces one array over its last dimensions only. */
  static boolean reducesRows(HloInstruction reduce) {
    if (!(reduce.op() instanceof Reduce op) || reduce.operands().size() != 2) {
      return false;
    }
    int rank = array(reduce, 0).rank();
    Dims kept = op.kept(rank);
    return kept.equals(Dims.range(0, kept.count())) && kept.count() < rank;
  }

  /**
   * Returns whether an instruction moves elements that are reduced, which loops do in parts. That
   * takes longer for a few elements than to move them all at once.
   */
  static boolean isMovedInParts(HloInstruction instruction) {
    boolean isOther =
        OpTraits.of(instruction.op()).has(Trait.KEEPS_ORDER)
            || MovementRules.permutation(instruction) != null;
    return array(instruction).elementCount() >= MIN_MOVED_ELEMENTS
        && OpTraits.of(instruction.op()).family() == Family.MOVEMENT
        && !isOther;
  }
}
