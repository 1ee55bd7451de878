package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableSet;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;

/** An evaluator of instructions that have no kernel. It follows the specification. */
public interface InstructionEvaluator {
  /**
   * Evaluates an instruction.
   *
   * @param step the instruction, its shape and the values of its operands
   * @param arguments the arguments of the computation that contains it
   * @param execution the run that it is part of
   * @return the value, of the shape of the step
   */
  Literal evaluate(Step step, List<Literal> arguments, Execution execution);

  /**
   * Resolves the dynamic dimensions of an instruction to the sizes that they have for these
   * operands.
   *
   * @param instruction the instruction, as declared
   * @param operands the values of its operands
   * @param execution the run that it is part of
   * @return the step to evaluate, with static shapes
   */
  Step resolveSizes(HloInstruction instruction, List<Literal> operands, Execution execution);

  /**
   * Refuses a step that has an index out of bounds.
   *
   * @param step the instruction, with the values of its operands
   * @throws org.hlo4j.hlo.HloException if a slice or window, as its index says, is not within the
   *     array
   */
  void requireInBounds(Step step);

  /** {@return the targets of custom calls that it evaluates} */
  ImmutableSet<String> customCallTargets();
}
