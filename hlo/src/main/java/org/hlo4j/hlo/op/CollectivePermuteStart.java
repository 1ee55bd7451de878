package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Starts a {@link CollectivePermute}. The result, for {@link CollectivePermuteDone}, is a tuple of
 * operand, result and u32 contexts, if any; for several operands, operand and result are tuples.
 *
 * @param channelId the channel, if the ids number partitions
 * @param sourceTargetPairs pairs of ids, no source and no target twice
 * @param sliceSizes the sizes of each slice, if it works in place, else empty; then the tuple holds
 *     the input and the output
 * @param shape the shape of that tuple
 */
public record CollectivePermuteStart(
    Optional<Long> channelId,
    ImmutableList<Dims> sourceTargetPairs,
    ImmutableList<Dims> sliceSizes,
    Shape shape)
    implements CollectiveStart {
  @Override
  public String opcode() {
    return "collective-permute-start";
  }

  @Override
  public CollectivePermute collective() {
    return new CollectivePermute(channelId, sourceTargetPairs, sliceSizes);
  }

  @Override
  public Shape resultShape(Operands in) {
    CollectivePermute permute = collective();
    Shape operands = permute.isInPlace() ? in.shapes().get(0) : Collectives.joined(in.shapes());
    Collectives.checkStarted(shape, operands, permute.resultShape(in));
    return shape.withoutLayout();
  }
}
