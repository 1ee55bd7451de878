package org.hlo4j.interpreter.reference;

import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.ownership.HandedOut;
import org.hlo4j.interpreter.CustomCallTarget;
import org.hlo4j.interpreter.engine.Device;
import org.hlo4j.interpreter.engine.DynamicShapes;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.SendRecvPeers;
import org.hlo4j.interpreter.engine.StandardTarget;
import org.jspecify.annotations.Nullable;

/**
 * Ops that communicate with the environment: custom calls, infeed, outfeed, send and recv. They
 * never wait for the user: if a value is missing, the run fails.
 */
public final class HostOps {
  private HostOps() {}

  /**
   * Returns the result of the user's function, or else of the known target. The target was checked
   * before the run.
   */
  static Literal customCall(
      CustomCall op, HloInstruction instruction, List<Literal> in, Execution execution) {
    CustomCallTarget given = execution.options().customCalls().get(op.customCallTarget());
    Literal result =
        given == null
            ? standard(op.customCallTarget()).call(instruction, in, execution)
            : call(op.customCallTarget(), given, instruction, in, execution);
    require(result != null, "", "custom-call: %s gave null, want a literal", op.customCallTarget());
    Shape shape = requireNonNull(result).shape();
    require(
        DynamicShapes.within(instruction.shape(), shape),
        "",
        "custom-call: %s gave %s, want %s",
        op.customCallTarget(),
        shape,
        instruction.shape().withoutLayout());
    return result;
  }

  /** Calls the user's function, which may keep what it gets and what it gives. */
  private static @Nullable Literal call(
      String target,
      CustomCallTarget given,
      HloInstruction instruction,
      List<Literal> in,
      Execution execution) {
    in.forEach(HandedOut::note);
    Literal result;
    try {
      result = given.call(instruction, ImmutableList.copyOf(in));
    } catch (HloException refusal) {
      throw refusal;
    } catch (Throwable thrown) { // of any kind: users' functions may throw what they like
      Kind kind = thrown instanceof VirtualMachineError ? Kind.LIMIT : Kind.ARGUMENT;
      throw new HloException(kind, "custom-call: " + target + ": " + thrown).withCause(thrown);
    }
    execution.checkLimits(); // which the function may not have looked at
    return result == null ? null : HandedOut.note(result);
  }

  private static StandardTarget standard(String target) {
    return Optional.ofNullable(StandardTargets.ALL.get(target)).orElseThrow();
  }

  /** Returns the next value of the infeed queue, and a token. */
  static Literal infeed(Infeed op, Execution execution) {
    Optional<Literal> next =
        execution.transfers().nextInfeed(execution.device().number(), op.shape());
    return Literal.tuple(
        requireValue("infeed", next, op.shape(), "Transfers." + feeding(execution)),
        Literal.token());
  }

  private static String feeding(Execution execution) {
    int device = execution.device().number();
    return device == 0 ? "feedIn" : "feedInto(" + device + ", ...)";
  }

  static Literal outfeed(Literal value, Execution execution) {
    execution
        .transfers()
        .feedOut(
            execution.device().number(), execution.detached(value), execution.options().maxBytes());
    return Literal.token();
  }

  /** Returns the channel. All transfers without a channel id share channel 0. */
  private static long channel(Optional<Long> channelId) {
    return channelId.orElse(0L);
  }

  /**
   * Sends a value to the environment or to another device. A device that is no source sends
   * nothing.
   */
  static Literal send(Send op, HloInstruction send, Literal value, Execution execution) {
    Device device = execution.device();
    long maxBytes = execution.options().maxBytes();
    Optional<SendRecvPeers> pairs = SendRecvPeers.of(send, device);
    if (pairs.isEmpty()) {
      execution
          .transfers()
          .sendFromRun(
              device.number(), channel(op.channelId()), execution.detached(value), maxBytes);
    } else {
      pairs
          .get()
          .target()
          .ifPresent(to ->
              device
                  .rendezvous()
                  .send(device.number(), to, channel(op.channelId()), value, maxBytes));
    }
    return Literal.tuple(value, Literal.zeros(Shape.of(ElementType.U32)), Literal.token());
  }

  /** Returns the next value of the channel and a token; zeros if no device sends to this one. */
  static Literal recvDone(RecvDone op, HloInstruction done, Shape shape, Execution execution) {
    Device device = execution.device();
    Shape data = ((Shape.Tuple) shape).elements().get(0);
    HloInstruction recv = done.operands().get(0);
    Optional<SendRecvPeers> pairs =
        SendRecvPeers.of(done, device).or(() -> SendRecvPeers.of(recv, device));
    Optional<Literal> next =
        pairs.isEmpty()
            ? execution.transfers().nextReceived(device.number(), channel(op.channelId()))
            : Optional.of(
                pairs
                    .get()
                    .source()
                    .map(from ->
                        device
                            .rendezvous()
                            .receive(done, device.number(), from, channel(op.channelId())))
                    .orElseGet(() -> ControlFlow.zeros(data)));
    Literal value =
        requireValue(
            "recv: channel " + channel(op.channelId()),
            next,
            data,
            "Transfers.send or a send before it");
    return Literal.tuple(value, Literal.token());
  }

  private static Literal requireValue(
      String subject, Optional<Literal> next, Shape shape, String source) {
    Literal value =
        next.orElseThrow(() ->
            new HloException(
                "", subject + " got nothing, want " + shape.withoutLayout() + " by " + source));
    require(
        DynamicShapes.within(shape, value.shape()),
        "",
        "%s got %s, want %s",
        subject,
        value.shape(),
        shape.withoutLayout());
    return value;
  }
}
