package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import org.jspecify.annotations.Nullable;

/**
 * A reduce: what is reduced, into what, and how. Compared by identity, as its nodes are.
 *
 * @param inputs the values reduced, of the space of what is reduced
 * @param initials the initial values, of the results' space
 * @param body the computation
 */
record Reduction(
    ImmutableList<ReduceNode> inputs, ImmutableList<ReduceNode> initials, Reducer body) {
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
