package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Starts to send a value. Operands: the value and a token; the result, a tuple of the value, a u32
 * context and a token, goes to {@link SendDone}.
 *
 * @param channelId the channel, if any; a send and its receive use the same one
 * @param isHostTransfer whether the other side is the host
 */
public record Send(Optional<Long> channelId, boolean isHostTransfer) implements ForwardingOp {
  /**
   * On a channel.
   *
   * @param channelId the channel
   * @param isHostTransfer whether the other side is the host
   */
  public Send(long channelId, boolean isHostTransfer) {
    this(Optional.of(channelId), isHostTransfer);
  }

  @Override
  public String opcode() {
    return "send";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(2);
  }

  @Override
  public Shape resultShape(Operands in) {
    in.requireToken(1, "token");
    return started(in.shapes().get(0));
  }

  /** Returns the result of a send or a recv before it is completed. */
  static Shape.Tuple started(Shape data) {
    return new Shape.Tuple(
        ImmutableList.of(data.withoutLayout(), Shape.of(ElementType.U32), Shape.token()));
  }

  /** Returns the shape of the data of a send or a recv that is not yet done. */
  static Shape dataOf(Operands in, String opcode) {
    Shape.Tuple operand = in.tuple(0, "operand");
    require(
        !operand.elements().isEmpty() && operand.compatible(started(operand.elements().get(0))),
        "",
        "operand got %s, want (data, u32[], token[]) of a %s",
        operand,
        opcode);
    return operand.elements().get(0);
  }
}
