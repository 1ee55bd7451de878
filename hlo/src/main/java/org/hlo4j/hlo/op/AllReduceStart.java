package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Shape;

/**
 * Starts an {@link AllReduce}. It has the shape of the result, for {@link AllReduceDone}.
 *
 * @param channelId the channel, if the ids span partitions
 * @param replicaGroups the groups of devices that communicate
 * @param constrainLayout whether layouts are fixed; a hint
 * @param useGlobalDeviceIds whether the ids number devices
 */
public record AllReduceStart(
    Optional<Long> channelId,
    ReplicaGroups replicaGroups,
    boolean constrainLayout,
    boolean useGlobalDeviceIds)
    implements CollectiveStart {
  @Override
  public String opcode() {
    return "all-reduce-start";
  }

  @Override
  public ImmutableList<String> callees() {
    return ImmutableList.of("to_apply");
  }

  @Override
  public AllReduce collective() {
    return new AllReduce(channelId, replicaGroups, constrainLayout, useGlobalDeviceIds);
  }

  @Override
  public Shape resultShape(Operands in) {
    return collective().resultShape(in);
  }
}
