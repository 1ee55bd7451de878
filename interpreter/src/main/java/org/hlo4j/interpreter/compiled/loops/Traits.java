package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.lanes.ElementFunctions;

/** What the code of a node is like. */
final class Traits {
  private static final int AS_HEAVY_AS_CAN_BE = 30;

  private Traits() {}

  private static ElementFunctions.Traits of(Node.Apply apply) {
    ImmutableList<ElementType> operands =
        apply.operands().stream().map(Node::type).collect(ImmutableList.toImmutableList());
    return ElementFunctions.traits(apply.op(), operands, apply.type());
  }

  /** About how many instructions it takes, which decides where a loop is cut. */
  static int weight(Node.Apply apply) {
    ElementFunctions.Traits traits = of(apply);
    return traits.isVector() ? Math.max(1, traits.operations()) : AS_HEAVY_AS_CAN_BE;
  }

  /** Whether there is code for vectors. */
  static boolean isVector(Node.Apply apply) {
    return of(apply).isVector();
  }

  /** Bits of the widest lane it uses. */
  static int widestBits(Node.Apply apply) {
    return of(apply).widestBits();
  }
}
