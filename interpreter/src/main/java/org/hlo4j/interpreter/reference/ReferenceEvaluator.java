package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;

/** The reference evaluator: verifies the module, checks the arguments, runs the entry. */
public final class ReferenceEvaluator implements Evaluator {
  private final EvaluatorOptions options;

  /**
   * An evaluator; it has no state.
   *
   * @param options limits of each run, and what it is given
   */
  public ReferenceEvaluator(EvaluatorOptions options) {
    this.options = options;
  }

  @Override
  public Literal run(HloModule module, Literal... arguments) {
    require(module != null, "", "run: module got null, want one");
    Verifier.lenient().verify(module);
    checkArguments(module.entry().parameters(), arguments);
    return new Run(options).call(module.entry(), ImmutableList.copyOf(arguments));
  }

  private static void checkArguments(List<HloInstruction> parameters, Literal[] arguments) {
    require(arguments != null, "", "run: arguments got null, want %s literals", parameters.size());
    require(
        arguments.length == parameters.size(),
        "",
        "run: argument count got %s, want %s",
        arguments.length,
        parameters.size());
    for (int i = 0; i < arguments.length; i++) {
      HloInstruction parameter = parameters.get(i);
      require(arguments[i] != null, "", "run: argument %s got null, want a literal", i);
      Shape got = arguments[i].shape();
      require(
          parameter.shape().compatible(got),
          "",
          "run: argument %s got %s, want %s for parameter %s",
          i,
          got,
          parameter.shape().withoutLayout(),
          parameter.name());
    }
  }
}
