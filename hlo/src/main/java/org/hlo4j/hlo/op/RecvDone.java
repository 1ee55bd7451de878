package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Shape;

/**
 * Completes a {@link Recv}, its operand. The result is a tuple of the value and a token.
 *
 * @param channelId the channel, if any; a send and its receive use the same one
 * @param isHostTransfer whether the other side is the host
 */
public record RecvDone(Optional<Long> channelId, boolean isHostTransfer) implements ForwardingOp {
  /**
   * On a channel.
   *
   * @param channelId the channel
   * @param isHostTransfer whether the other side is the host
   */
  public RecvDone(long channelId, boolean isHostTransfer) {
    this(Optional.of(channelId), isHostTransfer);
  }

  @Override
  public String opcode() {
    return "recv-done";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape data = Send.dataOf(in, "recv");
    return new Shape.Tuple(ImmutableList.of(data.withoutLayout(), Shape.token()));
  }
}
