package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/**
 * Ends a {@link Send}, its operand, with a token.
 *
 * @param channelId the channel; what is sent on one is received on the same
 * @param isHostTransfer whether the other side is the host
 */
public record SendDone(long channelId, @Defaulted boolean isHostTransfer) implements PassingOn {
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
