package org.hlo4j.builder.broadcast;

import com.google.common.collect.ImmutableList;
import org.hlo4j.builder.BroadcastPolicy;
import org.hlo4j.hlo.HloException;

/**
 * A policy of this package, which can be tried in order to suggest it where another policy fails.
 */
interface Rule extends BroadcastPolicy {
  /** Returns either the mapping of the operands or the error, without suggestions. */
  Attempt attempt(ImmutableList<Operand> operands);

  @Override
  default Placement place(ImmutableList<Operand> operands) {
    Attempt attempt = attempt(operands);
    if (attempt.refusal().isEmpty()) {
      return attempt.placement().orElseThrow();
    }
    HloException refusal = attempt.refusal().orElseThrow();
    boolean offers = refusal.facts().stream().anyMatch(fact -> fact.name().equals("fits"));
    throw offers ? refusal : refusal.with("fits", PolicySuggestions.text(operands));
  }
}
