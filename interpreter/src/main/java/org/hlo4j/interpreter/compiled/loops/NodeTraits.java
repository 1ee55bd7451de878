package org.hlo4j.interpreter.compiled.loops;

import org.hlo4j.interpreter.compiled.expr.Term;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/** What the code of a node is like. */
final class NodeTraits {
  private static final int AS_HEAVY_AS_CAN_BE = 30;

  private NodeTraits() {}

  /** About how many instructions it takes, which decides where a loop is cut. */
  static int weight(Term.Applied<LoopNode> applied) {
    ElementFunctions.Traits traits = applied.traits();
    return traits.isVector() ? Math.max(1, traits.operations()) : AS_HEAVY_AS_CAN_BE;
  }

  /** Whether there is code for vectors. */
  static boolean isVector(Term.Applied<LoopNode> applied) {
    return applied.traits().isVector();
  }
}
