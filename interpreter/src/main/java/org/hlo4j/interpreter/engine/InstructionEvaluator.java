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

  /** {@return the targets of custom calls that it evaluates} */
  ImmutableSet<String> customCallTargets();
}
