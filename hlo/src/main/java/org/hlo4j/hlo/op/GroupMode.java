package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import java.util.Optional;

/** The meaning of the ids in the groups of a collective, and which other devices take part. */
public enum GroupMode {
  /** Replicas, within each partition. */
  CROSS_REPLICA,
  /** Partitions, within each replica. */
  CROSS_PARTITION,
  /** Replicas, each with all of its partitions. */
  CROSS_REPLICA_AND_PARTITION,
  /** Devices: replica times the number of partitions, plus partition. */
  FLATTENED_ID;

  /** Returns the mode of all-reduce, all-gather and reduce-scatter. */
  static GroupMode ofReduction(Optional<Long> channelId, boolean useGlobalDeviceIds) {
    require(
        channelId.isPresent() || !useGlobalDeviceIds,
        "",
        "use_global_device_ids got true without channel_id, want a channel_id");
    if (channelId.isEmpty()) {
      return CROSS_REPLICA;
    }
    return useGlobalDeviceIds ? FLATTENED_ID : CROSS_REPLICA_AND_PARTITION;
  }

  /** Returns the mode of the collectives that only move data. */
  static GroupMode ofMovement(Optional<Long> channelId) {
    return channelId.isPresent() ? CROSS_PARTITION : CROSS_REPLICA;
  }
}
