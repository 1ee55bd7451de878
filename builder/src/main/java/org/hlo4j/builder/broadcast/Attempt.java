package org.hlo4j.builder.broadcast;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.builder.BroadcastPolicy.Placement;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * What came of trying a policy: a placement or a refusal.
 *
 * @param placement where the operands go
 * @param refusal why they do not go together
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
