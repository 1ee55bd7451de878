package org.hlo4j.interpreter.compiled.folds;

import com.google.common.collect.ImmutableList;

/**
 * A reduce: what is folded, into what, and how.
 *
 * @param inputs the values folded, of the space of what is folded
 * @param initials the initial values, of the results' space
 * @param body the computation
 */
record Fold(ImmutableList<Node> inputs, ImmutableList<Node> initials, Body body) {}
