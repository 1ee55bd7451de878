package org.hlo4j.hlo.op;

import org.hlo4j.hlo.Shape;

/**
 * Begins to receive a value. The operand is a token; the result, a tuple of the value, a u32
 * context and a token, goes to {@link RecvDone}.
 *
 * @param shape the shape of the value
 * @param channelId the channel; what is sent on one is received on the same
 * @param isHostTransfer whether the other side is the host
 */
public record Recv(Shape shape, long channelId, @Defaulted boolean isHostTransfer) implements Op {
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
