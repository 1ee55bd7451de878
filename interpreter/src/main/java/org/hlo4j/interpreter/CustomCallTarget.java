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
   * <p>Whatever it throws ends the run, on all devices: an {@link org.hlo4j.hlo.HloException} as it
   * is, anything else, errors of the machine too, as the cause of one that names the target and the
   * instruction. A deadline that has passed meanwhile is noticed when it returns.
   *
   * @param call the instruction: its shape, which the result must have; the computations that it
   *     calls, {@link HloInstruction#called}, as they are in the module that runs, after passes if
   *     it is compiled; and as attributes, the text in the module, such as the {@code
   *     backend_config}. Its operands are instructions of that module
   * @param operands the values of its operands, a list that cannot be changed
   * @return the result, of the instruction's shape
   */
  Literal call(HloInstruction call, List<Literal> operands);
}
