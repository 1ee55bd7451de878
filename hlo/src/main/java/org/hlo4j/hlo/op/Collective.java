package org.hlo4j.hlo.op;

import java.util.Optional;

/** An op in which several devices take part, each with its own operands. */
public sealed interface Collective extends Op
    permits AllGather,
        AllReduce,
        AllToAll,
        CollectiveBroadcast,
        CollectivePermute,
        RaggedAllToAll,
        ReduceScatter {
  @Override
  default Arity arity() {
    return Arity.atLeast(1);
  }

  /**
   * Returns the meaning of the ids of the groups or pairs; by default, that of the collectives that
   * only move data.
   *
   * @return the mode
   */
  default GroupMode groupMode() {
    return GroupMode.ofMovement(channelId());
  }

  /**
   * Returns the channel. Collectives of one kind on one channel meet each other, wherever they are.
   *
   * @return the number; empty if the collective meets only itself
   */
  Optional<Long> channelId();
}
