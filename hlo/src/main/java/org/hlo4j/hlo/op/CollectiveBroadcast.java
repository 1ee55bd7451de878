package org.hlo4j.hlo.op;

import java.util.Optional;
import org.hlo4j.hlo.Shape;

/**
 * Sends the value of the first device of a group to every device of the group. A device in no group
 * gets zeros.
 *
 * @param channelId the channel, if the ids number partitions
 * @param replicaGroups the groups of devices that communicate
 */
public record CollectiveBroadcast(Optional<Long> channelId, ReplicaGroups replicaGroups)
    implements Collective {
  @Override
  public String opcode() {
    return "collective-broadcast";
  }

  @Override
  public Shape resultShape(Operands in) {
    replicaGroups.checkIds();
    return Collectives.ofOperands(in);
  }
}
