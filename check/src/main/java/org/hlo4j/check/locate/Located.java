package org.hlo4j.check.locate;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.check.Program;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * The first instruction whose value differs, or on which the system breaks, although its operands
 * agree.
 *
 * @param instruction the instruction
 * @param within where it is: the instructions that call its computation, outermost first, such as
 *     {@code while.3, iteration 2, body}
 * @param together the instructions that must be computed with it for the difference to show; empty
 *     if it differs alone
 * @param program the smallest program that was found to show it
 * @param comparison the comparison of the results of that program; empty if the system broke
 * @param failure how the system broke; empty if it computed a value
 * @param counterpart what it is compared with, if that is not the reference's value
 */
public record Located(
    HloInstruction instruction,
    ImmutableList<String> within,
    ImmutableList<HloInstruction> together,
    Program program,
    Optional<Comparison> comparison,
    String failure,
    Optional<Counterpart> counterpart) {
  /**
   * The instruction of another program that should compute the same.
   *
   * @param instruction the instruction
   * @param program the program that computes it from the same values
   */
  public record Counterpart(HloInstruction instruction, Program program) {}
}
