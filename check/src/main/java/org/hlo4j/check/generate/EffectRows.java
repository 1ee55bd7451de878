package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import org.hlo4j.check.Environment;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.RngGetAndUpdateState;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;

/**
 * The rows of ops that are seen from outside: what they do happens as often and in the order in
 * which the reference does it, whether anybody reads their result or not.
 */
final class EffectRows {
  static final ImmutableMap<String, Step> ALL =
      ImmutableMap.<String, Step>builder()
          .put("custom-call", EffectRows::customCall)
          .put("infeed", EffectRows::infeed)
          .put("outfeed", EffectRows::outfeed)
          .put("partition-id", (block, choices) -> block.add(new PartitionId()))
          .put("recv", EffectRows::transfer)
          .put("recv-done", EffectRows::transfer)
          .put("replica-id", (block, choices) -> block.add(new ReplicaId()))
          .put("rng", EffectRows::rng)
          .put("rng-get-and-update-state", EffectRows::state)
          .put("send", EffectRows::sent)
          .put("send-done", EffectRows::sent)
          .buildOrThrow();

  private EffectRows() {}

  private static HloInstruction token(Block block) {
    return Sources.value(block, Shape.token());
  }

  /** A target that only says where a value is, or one that keeps what it is given. */
  private static void customCall(Block block, Choices choices) {
    if (choices.chance(4)) {
      HloInstruction operand = ControlRows.value(block);
      String target = choices.oneOf(List.of("Sharding", "annotate_device_placement", "MoveToHost"));
      block.add(new CustomCall(operand.shape().withoutLayout(), target), operand);
      return;
    }
    block.draft().requireEffects();
    List<HloInstruction> operands = ControlRows.some(block);
    Shape result =
        choices.chance(6)
            ? new Shape.Tuple(ImmutableList.of())
            : Sources.shape(block, choices.anyType(), choices.rank());
    String target = choices.oneOf(Environment.TARGETS.asList());
    Row.add(
        block,
        "custom-call",
        ImmutableMap.of(
            "shape",
            result,
            "custom_call_target",
            target,
            "custom_call_has_side_effect",
            true,
            "schedule",
            CustomCall.Schedule.SCHEDULE_NONE,
            "api_version",
            CustomCall.ApiVersion.API_VERSION_ORIGINAL),
        operands);
  }

  private static void infeed(Block block, Choices choices) {
    block.draft().requireEffects();
    Shape.Array shape = Sources.shape(block, choices.anyType(), choices.rank());
    block.add(new Infeed(choices.chance(5) ? Shape.tuple(shape, shape) : shape, ""), token(block));
  }

  private static void outfeed(Block block, Choices choices) {
    block.draft().requireEffects();
    List<HloInstruction> arrays =
        Sources.values(block, shape -> shape instanceof Shape.Array && !shape.isDynamic());
    HloInstruction operand =
        arrays.isEmpty() || choices.chance(4) ? Sources.array(block) : choices.oneOf(arrays);
    block.add(new Outfeed(operand.shape(), ""), operand, token(block));
  }

  /** Sends to the host, which keeps it. */
  private static void sent(Block block, Choices choices) {
    block.draft().requireEffects();
    long channel = Row.channel(block);
    HloInstruction operand = Sources.array(block);
    HloInstruction send = block.add(new Send(channel, true), operand, token(block));
    ControlRows.between(block);
    block.add(new SendDone(channel, true), send);
  }

  /** Sends on a channel and receives from it. */
  private static void transfer(Block block, Choices choices) {
    block.draft().requireEffects();
    long channel = Row.channel(block);
    boolean isHost = choices.chance(2);
    HloInstruction operand = Sources.array(block);
    HloInstruction send = block.add(new Send(channel, isHost), operand, token(block));
    HloInstruction sent = block.add(new SendDone(channel, isHost), send);
    HloInstruction recv =
        block.add(new Recv(operand.shape().withoutLayout(), channel, isHost), sent);
    ControlRows.between(block);
    block.add(new RecvDone(channel, isHost), recv);
  }

  private static void rng(Block block, Choices choices) {
    block.draft().requireEffects();
    boolean isUniform = choices.chance(2);
    ElementType type = choices.type(each -> isUniform ? !each.isComplex() : each.isFloating());
    Shape.Array shape = Sources.shape(block, type, choices.rank());
    if (isUniform) {
      // 0 and the greatest number of one bit, which is above it in all types but s1.
      HloException.require(type != ElementType.S1, "", "no number above 0");
      block.add(
          new Rng(shape, Rng.Distribution.RNG_UNIFORM),
          Sources.given(block, Numbers.scalar(type, 0)),
          Sources.given(block, Numbers.scalar(type, 1)));
    } else {
      block.add(
          new Rng(shape, Rng.Distribution.RNG_NORMAL),
          Sources.scalar(block, type),
          Sources.scalar(block, type));
    }
  }

  private static void state(Block block, Choices choices) {
    block.draft().requireEffects();
    block.add(new RngGetAndUpdateState(choices.between(-2, 5)));
  }
}
