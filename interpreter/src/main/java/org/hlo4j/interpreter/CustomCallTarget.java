package org.hlo4j.interpreter;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * What a custom call does; given to a run by {@link EvaluatorOptions.Builder#customCall}. Buffers
 * are arrays to it, in the instruction's shape too: for what XLA's would write into an operand, it
 * gives a new array.
 */
@FunctionalInterface
public interface CustomCallTarget {
  /**
   * The result of one call.
   *
   * @param call the instruction, with the shape that the result must have, and with the backend
   *     config among its attributes
   * @param operands the values of its operands
   * @return the result, of the instruction's shape
   */
  Literal call(HloInstruction call, List<Literal> operands);
}
