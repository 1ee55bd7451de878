package org.hlo4j.check.shrink;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * A change of a program at one instruction.
 *
 * @param at the name of the instruction
 * @param change what takes its place
 */
record Edit(String at, Change change) {
  /** What takes the place of an instruction. */
  @FunctionalInterface
  interface Change {
    /**
     * Returns what takes the place of an instruction, in the computation under construction.
     *
     * @param draft the computation
     * @param old the instruction
     * @param operands what its operands have become
     */
    HloInstruction applied(Draft draft, HloInstruction old, ImmutableList<HloInstruction> operands);
  }

  static Edit of(HloInstruction at, Change change) {
    return new Edit(at.name(), change);
  }
}
