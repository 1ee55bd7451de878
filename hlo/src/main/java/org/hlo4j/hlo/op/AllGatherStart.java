package org.hlo4j.hlo.op;

import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Starts an {@link AllGather}. The result, for {@link AllGatherDone}, is a tuple of operand and
 * result, or, for several operands, a tuple of the tuple of operands and the tuple of results.
 *
 * @param channelId the channel, if the ids span partitions
 * @param replicaGroups the groups of devices that communicate, all of the same size
 * @param constrainLayout whether layouts are fixed; a hint
 * @param dimensions the dimension along which to concatenate
 * @param useGlobalDeviceIds whether the ids number devices
 * @param shape the shape of that tuple
 */
public record AllGatherStart(
    Optional<Long> channelId,
    ReplicaGroups replicaGroups,
    boolean constrainLayout,
    Dims dimensions,
    boolean useGlobalDeviceIds,
    Shape shape)
    implements CollectiveStart {
  @Override
  public String opcode() {
    return "all-gather-start";
  }

  @Override
  public AllGather collective() {
    return new AllGather(
        channelId,
        replicaGroups,
        constrainLayout,
        dimensions,
        useGlobalDeviceIds,
        Collectives.started(shape, "shape").get(1));
  }

  @Override
  public Shape resultShape(Operands in) {
    Collectives.checkStarted(shape, Collectives.joined(in.shapes()), collective().resultShape(in));
    return shape.withoutLayout();
  }
}
