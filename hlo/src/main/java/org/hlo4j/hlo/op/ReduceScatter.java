package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Reduces the operands of a group's devices as {@link AllReduce} does, splits the result along a
 * dimension, and gives each device the part at its position in the group.
 *
 * @param channelId the channel, if the ids span partitions
 * @param replicaGroups the groups of devices that communicate, all of the same size
 * @param constrainLayout whether layouts are fixed; a hint
 * @param useGlobalDeviceIds whether the ids number devices
 * @param dimensions the dimension along which to split
 * @param shape the shape of the result, smaller by the number of devices in a group
 */
public record ReduceScatter(
    Optional<Long> channelId,
    ReplicaGroups replicaGroups,
    boolean constrainLayout,
    boolean useGlobalDeviceIds,
    Dims dimensions,
    Shape shape)
    implements Collective {
  @Override
  public String opcode() {
    return "reduce-scatter";
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
    replicaGroups.check(true);
    GroupMode mode = groupMode();
    Collectives.checkReducer(in, "reduce_scatter C7");
    ImmutableList<Shape> results = Collectives.parts(shape, in.shapes().size());
    for (int i = 0; i < results.size(); i++) {
      Shape.Array operand = in.array(i, "operand " + i);
      int dimension = Collectives.onlyDimension(dimensions, operand, "reduce_scatter C2");
      Shape.Array result = Operands.requireArray(results.get(i), "result");
      Collectives.checkParts(replicaGroups, result, operand, dimension, "reduce_scatter C8", mode);
    }
    return shape.withoutLayout();
  }

  /** To the sizes of the operands, times or divided by the number of devices. */
  @Override
  public ReduceScatter atSizes(Operands declared, Operands actual) {
    Shape sized = Collectives.atSizes(shape, dimensions.getInt(0), declared, actual);
    return new ReduceScatter(
        channelId, replicaGroups, constrainLayout, useGlobalDeviceIds, dimensions, sized);
  }
}
