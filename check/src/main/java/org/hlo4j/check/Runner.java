package org.hlo4j.check;

import java.util.Optional;
import java.util.function.Supplier;
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
   * Returns what some work gives.
   *
   * @param <T> what it gives
   * @param work the work, such as a run
   * @return what it gives; empty if it is refused
   * @throws HloException if it is interrupted
   */
  static <T> Optional<T> unlessRefused(Supplier<T> work) {
    try {
      return Optional.of(work.get());
    } catch (HloException refusal) {
      if (refusal.kind() == HloException.Kind.INTERRUPTED) {
        throw refusal;
      }
      return Optional.empty();
    }
  }

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
