package org.hlo4j.hlo.op;

import java.util.Optional;
import org.hlo4j.hlo.Shape;

/**
 * Starts to receive a value. The operand is a token; the result, a tuple of the value, a u32
 * context and a token, goes to {@link RecvDone}.
 *
 * @param shape the shape of the value
 * @param channelId the channel, if any; a send and its receive use the same one
 * @param isHostTransfer whether the other side is the host
 */
public record Recv(Shape shape, Optional<Long> channelId, boolean isHostTransfer)
    implements External {
  /**
   * On a channel.
   *
   * @param shape the shape of the data
   * @param channelId the channel
   * @param isHostTransfer whether the other side is the host
   */
  public Recv(Shape shape, long channelId, boolean isHostTransfer) {
    this(shape, Optional.of(channelId), isHostTransfer);
  }

  @Override
  public String opcode() {
    return "recv";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    in.requireToken(0, "token");
    return Send.started(shape);
  }
}
