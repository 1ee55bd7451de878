package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;

/** The way in which the loop of a pass over contiguous rows accesses their elements. */
enum ContiguousAccess {
  /** An iteration processes a few vectors. */
  BY_VECTORS,

  /** The single elements of an iteration are unrolled, and C2 vectorizes them. */
  UNROLLED,

  /** An iteration contains a loop over the elements of a unit. The accumulators are in an array. */
  UNIT_LOOP,

  /** An iteration processes one element, because no reduction depends on the order. */
  ONE_BY_ONE;

  /**
   * With at most this many operations for an element, all elements of an iteration are unrolled.
   */
  private static final int MAX_UNROLLED_OPERATIONS = 4;

  /** {@return the access of a pass} */
  static ContiguousAccess of(CodeEmitter emitter, BlockPlan plan, int pass) {
    if (emitter.width() > 1) {
      return BY_VECTORS;
    } else if (plan.reductions(pass).stream().noneMatch(reduction -> reduction.body().isSum())) {
      return ONE_BY_ONE;
    }
    return plan.cost(pass).operationsPerElement() <= MAX_UNROLLED_OPERATIONS ? UNROLLED : UNIT_LOOP;
  }

  /** {@return whether all elements of an iteration are unrolled, with an accumulator for each} */
  boolean hasWholeIterations() {
    return this == BY_VECTORS || this == UNROLLED;
  }
}
