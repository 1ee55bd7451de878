package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import org.jspecify.annotations.Nullable;

/**
 * A reduce in a {@link ReduceGraph}: its inputs, its initial values and its reducer. Reductions are
 * compared by identity, as nodes are.
 *
 * @param inputs the inputs, in the space of the positions that are reduced
 * @param initials the initial values, in the space of the results
 * @param body the reducer
 */
record Reduction(
    ImmutableList<ReduceNode> inputs, ImmutableList<ReduceNode> initials, Reducer body) {
  /** {@return the inputs and the initial values} */
  ImmutableList<ReduceNode> operands() {
    return ImmutableList.<ReduceNode>builder().addAll(inputs).addAll(initials).build();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
