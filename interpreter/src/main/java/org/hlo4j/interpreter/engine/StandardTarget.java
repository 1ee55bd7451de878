package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;

/** The implementation of a custom call target that XLA or JAX defines. */
@FunctionalInterface
public interface StandardTarget {
  /** Returns the result of a call. */
  Literal call(HloInstruction call, List<Literal> in, Execution execution);

  /** Throws if a call declares another result shape than its target returns. */
  static void requireResult(HloInstruction call, Shape want) {
    require(
        want.compatible(call.shape()),
        "",
        "custom-call: %s: result got %s, want %s",
        call.name(),
        call.shape().withoutLayout(),
        want);
  }
}
