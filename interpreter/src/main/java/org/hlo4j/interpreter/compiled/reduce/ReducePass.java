package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * One pass over the positions that are reduced.
 *
 * @param strip the loop that computes inputs of reductions, saved values and results, if any
 * @param steps the reductions
 * @param epilogue the loop that computes, for each result in progress, values that follow from the
 *     reductions so far
 * @param isPrefetched whether the last pass over a row also does this pass for the next row
 */
record ReducePass(
    Optional<Strip> strip,
    ImmutableList<ReduceStep> steps,
    Optional<Strip> epilogue,
    boolean isPrefetched) {}
