package org.hlo4j.builder.broadcast;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.builder.BroadcastPolicy.Placement;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * The result of trying a policy: a placement or an error.
 *
 * @param placement the mapping of the operands
 * @param refusal why the operands are incompatible
 */
record Attempt(Optional<Placement> placement, Optional<HloException> refusal) {
  static Attempt placed(Dims sizes, List<Dims> dimensions) {
    return new Attempt(
        Optional.of(new Placement(sizes, ImmutableList.copyOf(dimensions))), Optional.empty());
  }

  static Attempt refused(HloException refusal) {
    return new Attempt(Optional.empty(), Optional.of(refusal));
  }
}
