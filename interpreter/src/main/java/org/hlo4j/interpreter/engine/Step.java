package org.hlo4j.interpreter.engine;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Op;

/**
 * An instruction about to be evaluated.
 *
 * @param instruction the instruction, as declared
 * @param op its op, sizes being those of the operands
 * @param shape the shape of its result, without layout; static, but of an op that passes values on
 * @param operands the values of its operands
 */
public record Step(HloInstruction instruction, Op op, Shape shape, List<Literal> operands) {
  /** An instruction that is what it is declared to be. */
  public static Step asDeclared(HloInstruction instruction, List<Literal> operands) {
    return new Step(instruction, instruction.op(), instruction.shape().withoutLayout(), operands);
  }
}
