package org.hlo4j.interpreter;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * The implementation of a custom call, given to a run by {@link
 * EvaluatorOptions.Builder#customCall}. It sees buffers as arrays, in the instruction's shape too:
 * where XLA's implementation would write into an operand, it returns a new array.
 */
@FunctionalInterface
public interface CustomCallTarget {
  /**
   * Computes the result of one call. It may keep the operands, which no run writes to again; an
   * argument of the run is given as it is, see {@link Literal#unsafeOf}. Nobody may write to the
   * result again.
   *
   * @param call the instruction, with the shape that the result must have, and with the backend
   *     config among its attributes
   * @param operands the values of its operands, a list that cannot be changed
   * @return the result, of the instruction's shape
   */
  Literal call(HloInstruction call, List<Literal> operands);
}
