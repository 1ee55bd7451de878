package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * A reduction in a pass.
 *
 * @param reduction the reduction
 * @param isInterleaved whether the elements along the innermost dimension are interleaved over
 *     accumulators
 * @param sources the locations of the inputs
 * @param results the locations of the results
 * @param accumulators the slot of the accumulators if they are not the results themselves;
 *     otherwise -1
 * @param loop the loop that reduces
 * @param remainderLoop the loop that reduces the remaining elements, or single rows
 * @param multiRowLoop the loop that interleaves several rows at once, or that reduces several rows
 *     into several rows of accumulators, if there is one
 * @param denseLoop the loop that reduces rows that follow each other in memory into accumulators
 *     that stay in registers, if there is one
 */
record ReduceStep(
    Reduction reduction,
    boolean isInterleaved,
    ImmutableList<ArrayLocation> sources,
    ImmutableList<ArrayLocation> results,
    int accumulators,
    ReduceLoop loop,
    ReduceLoop remainderLoop,
    Optional<ReduceLoop> multiRowLoop,
    Optional<ReduceLoop> denseLoop) {
  boolean isSum() {
    return reduction.body().isSum();
  }
}
