package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * One reduction of a pass.
 *
 * @param reduction the reduction
 * @param how in which order
 * @param sources where what is reduced is found
 * @param results where the results go
 * @param accumulators the slot of accumulators that are not the results themselves; -1 if they are
 * @param loop the loop that reduces
 * @param single the loop that reduces what is left over, or single rows
 * @param several the loop that distributes several rows at once, if there is one
 */
record ReduceStep(
    Reduction reduction,
    How how,
    ImmutableList<ArrayLocation> sources,
    ImmutableList<ArrayLocation> results,
    int accumulators,
    ReduceLoop loop,
    ReduceLoop single,
    Optional<ReduceLoop> several) {
  /** In which order elements are reduced. */
  enum How {
    /** Along the innermost dimension, interleaved over accumulators. */
    INTERLEAVED,
    /** Along the innermost dimension, one after the other. */
    IN_ORDER,
    /** Row after row into a row of accumulators. */
    ROWS
  }

  boolean isSum() {
    return reduction.body().isSum();
  }
}
