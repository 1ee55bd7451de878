package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableSet;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;

/** Evaluates instructions that have no kernel, as the specification defines them. */
public interface InstructionEvaluator {
  /**
   * The value of an instruction.
   *
   * @param step the instruction, its shape and the values of its operands
   * @param arguments the arguments of the computation that it is in
   * @param execution the run that it is part of
   * @return the value, of the shape of the step
   */
  Literal evaluate(Step step, List<Literal> arguments, Execution execution);

  /**
   * An instruction with dynamic dimensions, with the sizes it has on these operands.
   *
   * @param instruction the instruction, as declared
   * @param operands the values of its operands
   * @return the same with static shapes
   */
  Step atSizes(HloInstruction instruction, List<Literal> operands);

  /** {@return the targets of custom calls that it evaluates} */
  ImmutableSet<String> customCallTargets();
}
