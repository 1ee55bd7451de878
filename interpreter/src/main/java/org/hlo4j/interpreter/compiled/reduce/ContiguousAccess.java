package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;

/** How a pass over rows along the contiguous dimension takes their elements. */
enum ContiguousAccess {
  /** An iteration has some vectors. */
  BY_VECTORS,

  /** The single elements of an iteration are written out: C2 makes vectors of them. */
  WRITTEN_OUT,

  /** In an iteration a loop goes round a unit, for accumulators that are in an array. */
  ROUND_A_UNIT,

  /** An iteration has one element, for no reduction minds the order. */
  ONE_BY_ONE;

  /** So few operations for an element are written out for all of an iteration. */
  private static final int MAX_WRITTEN_OUT = 4;

  /** The way of a pass. */
  static ContiguousAccess of(CodeEmitter emitter, BlockPlan plan, int pass) {
    if (emitter.width() > 1) {
      return BY_VECTORS;
    } else if (plan.reductions(pass).stream()
        .noneMatch(reduction -> SingleOpReducer.of(reduction).isSum())) {
      return ONE_BY_ONE;
    }
    return plan.does(pass).weight() <= MAX_WRITTEN_OUT ? WRITTEN_OUT : ROUND_A_UNIT;
  }

  /** Whether the code has all elements of an iteration, with an accumulator for each. */
  boolean hasWholeIterations() {
    return this == BY_VECTORS || this == WRITTEN_OUT;
  }
}
