package org.hlo4j.check;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.Evaluator;

/** Anything that runs programs: an evaluator, or another system. */
@FunctionalInterface
public interface Runner {
  /**
   * Runs a program.
   *
   * @param program the program
   * @return the value of the root of its entry
   * @throws HloException if it cannot be run
   */
  Literal run(Program program);

  /**
   * Returns a runner of an evaluator.
   *
   * @param evaluator the evaluator
   * @return its runner
   */
  static Runner of(Evaluator evaluator) {
    return program -> program.run(evaluator);
  }
}
