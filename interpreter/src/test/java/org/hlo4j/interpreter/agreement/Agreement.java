package org.hlo4j.interpreter.agreement;

import java.util.Optional;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;

/** Whether the compiled evaluator agrees with the reference on a module: {@link Comparison}. */
public final class Agreement {
  private Agreement() {}

  /** Returns the first difference that no tolerance explains; empty if the results agree. */
  public static Optional<String> difference(
      HloModule module,
      EvaluatorOptions options,
      Literal got,
      Literal want,
      Comparison.Reference reference) {
    if (got.equals(want)) {
      return Optional.empty();
    }
    if (!got.shape().equals(want.shape())) {
      return Optional.of("shape got " + got.shape() + ", want " + want.shape());
    }
    Comparison comparison =
        Comparison.judge(module, want, new ToleranceProfile.Compiled(), options, reference)
            .apply(got);
    return comparison.firstWrong();
  }
}
