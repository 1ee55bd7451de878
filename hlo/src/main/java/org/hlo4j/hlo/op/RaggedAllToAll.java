package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.util.Optional;
import org.hlo4j.hlo.Shape;

/**
 * Every device of a group sends an individual range of rows to every other.
 *
 * <p>Operands: input, output, input_offsets, send_sizes, output_offsets, recv_sizes. The last four
 * have the same number k of updates for each peer of the group, in its order: {@code [peer * k +
 * i]} or, in arrays of rank 2, {@code [peer, i]}. For update i of the peer at position j, {@code
 * send_sizes[j, i]} rows of the input, from {@code input_offsets[j, i]} on, are sent to row {@code
 * output_offsets[j, i]} of the peer's output. {@code recv_sizes[j, i]} is how many rows that peer
 * sends here in its update i. Rows that are not written keep the values of output; what is written
 * twice has the later update's, those of the later peer after those of an earlier one. Offsets and
 * sizes count along dimension 0.
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
        (offsets.rank() == 1 || offsets.rank() == 2) && offsets.elementType().isIntegral(),
        "",
        "input_offsets got %s, want a vector of integers, or one for each peer",
        offsets);
    if (!replicaGroups.groups().isEmpty()) {
      requireUpdates(offsets, replicaGroups.groups().get(0).count());
    }
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

  /**
   * Refuses offsets and sizes that are not as many for each peer.
   *
   * @param offsets the shape of the offsets and sizes
   * @param peers the number of devices in a group
   * @throws org.hlo4j.hlo.HloException if they are not, or there is no peer
   */
  public static void requireUpdates(Shape.Array offsets, long peers) {
    requireNonNull(offsets, "offsets");
    require(peers > 0, "", "peers got %s, want at least 1", peers);
    boolean isEven = offsets.rank() == 2 ? offsets.size(0) == peers : offsets.size(0) % peers == 0;
    require(
        isEven || offsets.isDynamic(),
        "",
        "input_offsets got %s, want as many for each of the %s devices of a group",
        offsets,
        peers);
  }
}
