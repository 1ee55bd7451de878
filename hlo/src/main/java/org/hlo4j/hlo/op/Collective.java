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
  /**
   * Returns the meaning of the ids of the groups or pairs.
   *
   * @return the mode
   */
  GroupMode groupMode();

  /**
   * Returns the channel. Collectives of one kind on one channel meet each other, wherever they are.
   *
   * @return the number; empty if the collective meets only itself
   */
  Optional<Long> channelId();
}
