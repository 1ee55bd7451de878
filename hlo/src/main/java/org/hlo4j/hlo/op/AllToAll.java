package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Every device of a group sends a part to every other.
 *
 * <p>With {@code dimensions}, the operand is split along that dimension into one part for each
 * device; device i gets part i of each, concatenated along the same dimension in the order of the
 * group. Without it, operand i is sent to device i, and the result is the tuple of the received
 * values in the order of the group.
 *
 * @param channelId the channel, if the ids number partitions
 * @param replicaGroups the groups of devices that communicate, all of the same size
 * @param constrainLayout whether layouts are fixed; a hint
 * @param dimensions the dimension along which to split, for the form with one operand
 */
public record AllToAll(
    Optional<Long> channelId,
    ReplicaGroups replicaGroups,
    boolean constrainLayout,
    Optional<Dims> dimensions)
    implements Collective {
  @Override
  public String opcode() {
    return "all-to-all";
  }

  @Override
  public Shape resultShape(Operands in) {
    replicaGroups.check(true);
    Shape.Array first = in.array(0, "operand 0");
    if (dimensions.isPresent()) {
      require(
          in.shapes().size() == 1,
          "",
          "operand count got %s with dimensions, want 1",
          in.shapes().size());
      int dimension = Collectives.onlyDimension(dimensions.get(), first, "all_to_all C1");
      require(
          !first.isDynamic(dimension) || first.isUnbounded(dimension),
          "",
          "dimension %s got the size of %s, want a static one",
          dimension,
          first);
      int parts = replicaGroups.groups().isEmpty() ? 1 : replicaGroups.groups().get(0).count();
      require(
          first.size(dimension) % parts == 0,
          "all_to_all C2",
          "dimension %s got the size of %s, want a multiple of %s devices",
          dimension,
          first,
          parts);
      return first.withoutLayout();
    }
    replicaGroups.requireShards("", in.shapes().size(), groupMode());
    for (Shape shape : in.shapes()) {
      require(shape.compatible(first), "", "operands got %s and %s, want the same", first, shape);
    }
    return new Shape.Tuple(
        in.shapes().stream().map(Shape::withoutLayout).collect(ImmutableList.toImmutableList()));
  }
}
