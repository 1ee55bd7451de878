package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.jspecify.annotations.Nullable;

/**
 * A reduce in an expression graph: its inputs, its initial values and its reducer. Reductions are
 * compared by identity, as nodes are.
 *
 * @param inputs the inputs, in the space of the positions that are reduced
 * @param initials the initial values, in the space of the results
 * @param body the reducer
 */
public record Reduction(
    ImmutableList<LoopNode> inputs, ImmutableList<LoopNode> initials, Reducer body) {
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
