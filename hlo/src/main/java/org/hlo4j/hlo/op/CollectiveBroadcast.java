package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
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
  public Arity arity() {
    return Arity.atLeast(1);
  }

  @Override
  public GroupMode groupMode() {
    return GroupMode.ofMovement(channelId);
  }

  @Override
  public Shape resultShape(Operands in) {
    replicaGroups.checkIds();
    return Collectives.joined(
        in.shapes().stream().map(Shape::withoutLayout).collect(ImmutableList.toImmutableList()));
  }
}
