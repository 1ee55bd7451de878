package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.interpreter.CustomCallTarget;

/** Ops that reach out of the module, and never wait: what is not there is refused. */
final class Outside {
  private Outside() {}

  /** What the user's function gives; the target was looked up before the run. */
  static Literal customCall(
      CustomCall op, HloInstruction instruction, List<Literal> in, Execution execution) {
    CustomCallTarget target =
        Optional.ofNullable(execution.options().customCalls().get(op.customCallTarget()))
            .orElseThrow();
    Literal result = target.call(instruction, in);
    require(result != null, "", "custom-call: %s gave null, want a literal", op.customCallTarget());
    require(
        result.shape().compatible(instruction.shape()),
        "",
        "custom-call: %s gave %s, want %s",
        op.customCallTarget(),
        result.shape(),
        instruction.shape().withoutLayout());
    return result;
  }

  /** The next value of the queue, and a token. */
  static Literal infeed(Infeed op, Execution execution) {
    Literal value =
        expected("infeed", execution.transfers().nextInfeed(), op.shape(), "Transfers.feedIn");
    return Literal.tuple(value, Literal.token());
  }

  static Literal outfeed(Literal value, Execution execution) {
    execution.transfers().feedOut(value, execution.options().maxBytes());
    return Literal.token();
  }

  static Literal send(Send op, Literal value, Execution execution) {
    execution
        .transfers()
        .sendFromRun(op.channelId().orElse(0L), value, execution.options().maxBytes());
    return Literal.tuple(value, Literal.zeros(Shape.of(ElementType.U32)), Literal.token());
  }

  /** The next value of the channel, and a token. */
  static Literal recvDone(RecvDone op, Shape shape, Execution execution) {
    Literal value =
        expected(
            "recv: channel " + op.channelId().orElse(0L),
            execution.transfers().nextReceived(op.channelId().orElse(0L)),
            ((Shape.Tuple) shape).elements().get(0),
            "Transfers.send or a send before it");
    return Literal.tuple(value, Literal.token());
  }

  private static Literal expected(String what, Optional<Literal> next, Shape shape, String source) {
    Literal value =
        next.orElseThrow(() ->
            new HloException(
                "", what + " got nothing, want " + shape.withoutLayout() + " by " + source));
    require(
        value.shape().compatible(shape),
        "",
        "%s got %s, want %s",
        what,
        value.shape(),
        shape.withoutLayout());
    return value;
  }
}
