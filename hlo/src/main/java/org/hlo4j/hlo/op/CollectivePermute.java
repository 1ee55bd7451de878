package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Sends values from device to device; one that nobody sends to gets zeros.
 *
 * @param channelId which channel, if the ids number partitions
 * @param sourceTargetPairs pairs of ids, no source and no target twice
 */
public record CollectivePermute(Optional<Long> channelId, ImmutableList<Dims> sourceTargetPairs)
    implements Collective {
  @Override
  public String opcode() {
    return "collective-permute";
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
    Dims sources = Dims.of();
    Dims targets = Dims.of();
    for (Dims pair : sourceTargetPairs) {
      require(
          pair.count() == 2 && pair.get(0) >= 0 && pair.get(1) >= 0,
          "collective_permute C4",
          "source_target_pairs got %s, want a source and a target, at least 0",
          pair);
      sources = sources.concat(pair.subList(0, 1));
      targets = targets.concat(pair.subList(1, 2));
    }
    require(
        sources.isDistinct(), "collective_permute C2", "sources got %s, want none twice", sources);
    require(
        targets.isDistinct(), "collective_permute C3", "targets got %s, want none twice", targets);
    return Collectives.joined(
        in.shapes().stream().map(Shape::withoutLayout).collect(ImmutableList.toImmutableList()));
  }
}
