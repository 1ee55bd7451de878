package org.hlo4j.interpreter.compiled.passes;

import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.engine.Effects;

/**
 * Dead code elimination: drops instructions whose values are not used, and computations that are
 * not called. Instructions with an effect stay, and so do those that may refuse sizes known only at
 * run time.
 */
final class DeadCode extends Pass {
  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    return (computation, rewriter) -> live(computation, rewriter, session.effects());
  }

  private static HloComputation live(
      HloComputation computation, Rewriter rewriter, Effects effects) {
    Set<HloInstruction> needed =
        HloComputation.live(
            computation.instructions(),
            each -> each == computation.root() || effects.isRequired(each));
    for (HloInstruction instruction : computation.instructions()) {
      if (needed.contains(instruction)) {
        rewriter.replace(instruction, rewriter.updated(instruction));
      } else {
        rewriter.session().count("dead");
      }
    }
    return rewriter.finish(computation);
  }
}
