package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * One run along what is reduced.
 *
 * @param strip computes what is reduced, saved or a result, if there is any such
 * @param steps what is reduced
 * @param after computes, for each result under way, what follows from the reductions so far
 * @param isPrefetched whether the last pass over a row reduces the row to come to this one
 */
record ReducePass(
    Optional<Strip> strip,
    ImmutableList<ReduceStep> steps,
    Optional<Strip> after,
    boolean isPrefetched) {}
