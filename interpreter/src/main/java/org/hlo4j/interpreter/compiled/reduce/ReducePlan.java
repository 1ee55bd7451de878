package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;

/**
 * The plan by which a computation with reductions is run: first the values that depend on no
 * reduction, then one pass after the other.
 *
 * @param space the reduced space
 * @param operands the number of operands
 * @param arrays the arrays beside the operands
 * @param locals the workspaces of each chunk
 * @param prologue the loop that computes, for each result, values that depend on no reduction
 * @param passes the passes
 */
record ReducePlan(
    ReductionSpace space,
    int operands,
    ReduceArrays arrays,
    ImmutableList<Local> locals,
    Optional<Strip> prologue,
    ImmutableList<ReducePass> passes) {
  /** The number of elements of a workspace. */
  enum Extent {
    /** One for each result in progress. */
    RESULTS,
    /** One for each position that is reduced into the results in progress. */
    POSITIONS,
    /** The elements of a strip, for each of the rows that are reduced at once. */
    STRIP,
    /** The accumulators that an interleaved loop leaves and the reduced value, or a vector. */
    ACCUMULATORS,
    /** The same for each of the rows that are interleaved at once. */
    ACCUMULATORS_OF_ROWS
  }

  /**
   * A workspace of a chunk.
   *
   * @param type the element type
   * @param extent the number of elements
   */
  record Local(ElementType type, Extent extent) {}

  int firstOutput() {
    return operands + arrays.tables().size();
  }

  /** {@return the index of the first reader of a computed array} */
  int firstReader() {
    return firstOutput() + arrays.shapes().size();
  }

  int firstLocal() {
    return firstReader() + arrays.computed().size();
  }

  /** {@return whether reductions read values that were computed strip by strip} */
  boolean hasStrips() {
    return locals.stream().anyMatch(local -> local.extent() == Extent.STRIP);
  }
}
