package org.hlo4j.hlo.op;

import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Begins an {@link AllGather}: a tuple of operand and result, or, if there are several, of a tuple
 * of operands and one of results, for {@link AllGatherDone}.
 *
 * @param channelId which channel, if the ids span partitions
 * @param replicaGroups who takes part together; groups of the same size
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
  public Arity arity() {
    return Arity.atLeast(1);
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
