package org.hlo4j.builder;

import java.util.Optional;
import org.hlo4j.hlo.op.ReplicaGroups;

/**
 * The devices that communicate in a collective.
 *
 * @param replicaGroups groups of ids; none for one group of all
 * @param channelId the channel, if the ids are not replicas within one partition
 * @param useGlobalDeviceIds whether ids number devices: replica times partitions, plus partition
 */
public record Participants(
    ReplicaGroups replicaGroups, Optional<Long> channelId, boolean useGlobalDeviceIds) {
  /**
   * Groups of replicas, within each partition.
   *
   * @param groups groups of replica ids
   * @return the participants
   */
  public static Participants replicas(ReplicaGroups groups) {
    return new Participants(groups, Optional.empty(), false);
  }

  /**
   * Returns all replicas, within each partition.
   *
   * @return the participants
   */
  public static Participants allReplicas() {
    return replicas(ReplicaGroups.all());
  }

  /**
   * Groups over a channel: of partitions within each replica for ops that move data, of replicas
   * with all their partitions for ops that reduce or gather.
   *
   * @param channelId the channel
   * @param groups groups of ids
   * @return the participants
   */
  public static Participants channel(long channelId, ReplicaGroups groups) {
    return new Participants(groups, Optional.of(channelId), false);
  }

  /**
   * Groups of devices; for ops that reduce or gather.
   *
   * @param channelId the channel
   * @param groups groups of global device ids
   * @return the participants
   */
  public static Participants devices(long channelId, ReplicaGroups groups) {
    return new Participants(groups, Optional.of(channelId), true);
  }
}
