package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import java.util.Optional;
import org.hlo4j.hlo.Shape;

/**
 * Every device of a group sends an individual range of rows to every other.
 *
 * <p>Operands: input, output, input_offsets, send_sizes, output_offsets, recv_sizes. For the peer
 * at position j of the group, {@code send_sizes[j]} rows of the input, from {@code
 * input_offsets[j]} on, are sent to row {@code output_offsets[j]} of the peer's output. Rows that
 * are not written keep the values of output. Offsets and sizes count along dimension 0.
 *
 * @param channelId the channel, if the ids number partitions
 * @param replicaGroups the groups of devices that communicate, all of the same size
 */
public record RaggedAllToAll(Optional<Long> channelId, ReplicaGroups replicaGroups)
    implements Collective {
  @Override
  public String opcode() {
    return "ragged-all-to-all";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(6);
  }

  @Override
  public GroupMode groupMode() {
    return GroupMode.ofMovement(channelId);
  }

  @Override
  public Shape resultShape(Operands in) {
    replicaGroups.check(true);
    Shape.Array input = in.array(0, "input");
    Shape.Array output = in.array(1, "output");
    boolean rows = input.rank() > 0 && output.rank() == input.rank();
    require(
        rows
            && input.elementType() == output.elementType()
            && input.sizes().with(0, 0).equals(output.sizes().with(0, 0)),
        "",
        "input got %s and output %s, want shapes that differ in dimension 0 only",
        input,
        output);
    Shape.Array offsets = in.array(2, "input_offsets");
    require(
        offsets.rank() == 1 && offsets.elementType().isIntegral(),
        "",
        "input_offsets got %s, want a vector of integers",
        offsets);
    for (int i = 3; i < 6; i++) {
      require(
          in.shapes().get(i).compatible(offsets),
          "",
          "operand %s got %s, want %s as input_offsets",
          i,
          in.shapes().get(i),
          offsets);
    }
    return output.withoutLayout();
  }
}
