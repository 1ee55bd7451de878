package org.hlo4j.hlo.op;

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
}
