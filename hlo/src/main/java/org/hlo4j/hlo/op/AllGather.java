package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Concatenates the operands of the devices of a group along a dimension, in the order of the group.
 * Every device of the group gets the result.
 *
 * @param channelId the channel, if the ids span partitions
 * @param replicaGroups the groups of devices that communicate, all of the same size
 * @param constrainLayout whether layouts are fixed; a hint
 * @param dimensions the dimension along which to concatenate
 * @param useGlobalDeviceIds whether the ids number devices
 * @param shape the shape of the result, larger by the number of devices in a group
 */
public record AllGather(
    Optional<Long> channelId,
    ReplicaGroups replicaGroups,
    boolean constrainLayout,
    Dims dimensions,
    boolean useGlobalDeviceIds,
    Shape shape)
    implements Collective {
  @Override
  public String opcode() {
    return "all-gather";
  }

  @Override
  public GroupMode groupMode() {
    return GroupMode.ofReduction(channelId, useGlobalDeviceIds);
  }

  @Override
  public Shape resultShape(Operands in) {
    replicaGroups.check(true);
    GroupMode mode = groupMode();
    ImmutableList<Shape> results = Collectives.parts(shape, in.shapes().size());
    for (int i = 0; i < results.size(); i++) {
      Shape.Array operand = in.array(i, "operand " + i);
      int dimension = Collectives.onlyDimension(dimensions, operand, "all_gather C1");
      Collectives.checkParts(
          replicaGroups, operand, results.get(i), dimension, "all_gather C6", mode);
    }
    return shape.withoutLayout();
  }

  /**
   * Returns the op at run-time sizes: those of the operands, multiplied or divided by the number of
   * devices.
   */
  @Override
  public AllGather atSizes(Operands declared, Operands actual) {
    Shape sized = Collectives.atSizes(shape, dimensions.getInt(0), declared, actual);
    return new AllGather(
        channelId, replicaGroups, constrainLayout, dimensions, useGlobalDeviceIds, sized);
  }
}
