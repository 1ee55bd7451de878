package org.hlo4j.hlo.op;

import java.util.Optional;
import org.hlo4j.hlo.Shape;

/**
 * Completes a {@link Send}, its operand. The result is a token.
 *
 * @param channelId the channel, if any; a send and its receive use the same one
 * @param isHostTransfer whether the other side is the host
 */
public record SendDone(Optional<Long> channelId, boolean isHostTransfer) implements ForwardingOp {
  /**
   * Creates the completion of a send on a channel.
   *
   * @param channelId the channel
   * @param isHostTransfer whether the other side is the host
   */
  public SendDone(long channelId, boolean isHostTransfer) {
    this(Optional.of(channelId), isHostTransfer);
  }

  @Override
  public String opcode() {
    return "send-done";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Send.dataOf(in, "send");
    return Shape.token();
  }
}
