package org.hlo4j.interpreter.compiled.loops;

import org.hlo4j.interpreter.compiled.expr.Term;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/** The cost of the code of a node. */
final class NodeTraits {
  private static final int MAX_WEIGHT = 30;

  private NodeTraits() {}

  /** Returns about how many instructions a node takes. Loop fission limits the sum over a stage. */
  static int weight(Term.Applied<LoopNode> applied) {
    ElementFunctions.Traits traits = applied.traits();
    return traits.isVectorizable() ? Math.max(1, traits.operations()) : MAX_WEIGHT;
  }

  /** Returns whether a node has a vector form. */
  static boolean isVectorizable(Term.Applied<LoopNode> applied) {
    return applied.traits().isVectorizable();
  }
}
