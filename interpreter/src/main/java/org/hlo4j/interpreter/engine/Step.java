package org.hlo4j.interpreter.engine;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Op;

/**
 * An instruction about to be evaluated, with its operands and the sizes they have at run time.
 *
 * @param instruction the instruction, as declared
 * @param op its op, adapted to the sizes of the operands
 * @param shape the shape of its result, without layout; static, except for an op that forwards
 *     values
 * @param operands the values of its operands
 */
public record Step(HloInstruction instruction, Op op, Shape shape, List<Literal> operands) {
  /** Returns a step whose op and shape are as declared. */
  public static Step asDeclared(HloInstruction instruction, List<Literal> operands) {
    return new Step(instruction, instruction.op(), instruction.shape().withoutLayout(), operands);
  }
}
