package org.hlo4j.interpreter.check;

import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;

/** Whether the compiled evaluator agrees with the reference on a module: {@link Comparison}. */
public final class Agreement {
  private Agreement() {}

  /** Runs a module on the reference with the arguments under test. */
  @FunctionalInterface
  public interface Runner {
    /**
     * Runs a module.
     *
     * @param module the module
     * @param options the options of the evaluator
     * @return the result under test
     */
    Literal run(HloModule module, EvaluatorOptions options);
  }

  /**
   * Compares two results of a module.
   *
   * @param module the module
   * @param options the options of both evaluators
   * @param got the result under test
   * @param want the result of the reference
   * @param reference runs a module on the reference, with the same arguments
   * @return the first difference that no tolerance explains; empty if the results agree
   */
  public static Optional<String> difference(
      HloModule module, EvaluatorOptions options, Literal got, Literal want, Runner reference) {
    if (got.equals(want)) {
      return Optional.empty();
    }
    if (!got.shape().equals(want.shape())) {
      return Optional.of("shape got " + got.shape() + ", want " + want.shape());
    }
    Comparison comparison =
        Comparison.of(module, got, want, new ToleranceProfile.Compiled(), options, reference);
    return comparison.firstWrong();
  }
}
