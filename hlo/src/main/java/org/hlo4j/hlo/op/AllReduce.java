package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Shape;

/**
 * Reduces each operand over the devices of a group, element by element. Every device of the group
 * gets the result. The devices are reduced in the order of the group, in the type of the
 * computation: that of the operands, or a wider one, as XLA's passes produce it for bf16 and f16.
 * The result is then converted back.
 *
 * <p>Without a channel, groups consist of replicas within one partition. With a channel, they
 * consist of replicas over all partitions. With {@code use_global_device_ids}, they consist of
 * devices, numbered replica by replica.
 *
 * @param channelId the channel, if the ids span partitions
 * @param replicaGroups the groups of devices that communicate
 * @param constrainLayout whether layouts are fixed; a hint
 * @param useGlobalDeviceIds whether the ids number devices
 */
public record AllReduce(
    Optional<Long> channelId,
    ReplicaGroups replicaGroups,
    boolean constrainLayout,
    boolean useGlobalDeviceIds)
    implements Collective {
  @Override
  public String opcode() {
    return "all-reduce";
  }

  @Override
  public ImmutableList<String> callees() {
    return ImmutableList.of("to_apply");
  }

  @Override
  public GroupMode groupMode() {
    return GroupMode.ofReduction(channelId, useGlobalDeviceIds);
  }

  @Override
  public Shape resultShape(Operands in) {
    replicaGroups.check(false);
    groupMode();
    Collectives.checkReducer(in, "all_reduce C5");
    return Collectives.ofOperands(in);
  }
}
