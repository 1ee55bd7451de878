package org.hlo4j.check.generate;

import static org.hlo4j.check.generate.Sources.shape;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AllGather;
import org.hlo4j.hlo.op.AllGatherDone;
import org.hlo4j.hlo.op.AllGatherStart;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.AllReduceDone;
import org.hlo4j.hlo.op.AllReduceStart;
import org.hlo4j.hlo.op.AllToAll;
import org.hlo4j.hlo.op.CollectiveBroadcast;
import org.hlo4j.hlo.op.CollectivePermute;
import org.hlo4j.hlo.op.CollectivePermuteDone;
import org.hlo4j.hlo.op.CollectivePermuteStart;
import org.hlo4j.hlo.op.RaggedAllToAll;
import org.hlo4j.hlo.op.ReduceScatter;
import org.hlo4j.hlo.op.ReplicaGroups;

/** The rows of collectives, on the only device. */
final class CollectiveRows {
  static final ImmutableMap<String, Step> ALL =
      ImmutableMap.<String, Step>builder()
          .put("all-gather", CollectiveRows::allGather)
          .put("all-gather-done", CollectiveRows::startedGather)
          .put("all-gather-start", CollectiveRows::startedGather)
          .put("all-reduce", CollectiveRows::allReduce)
          .put("all-reduce-done", CollectiveRows::startedReduce)
          .put("all-reduce-start", CollectiveRows::startedReduce)
          .put("all-to-all", CollectiveRows::allToAll)
          .put("collective-broadcast", CollectiveRows::broadcast)
          .put("collective-permute", CollectiveRows::permute)
          .put("collective-permute-done", CollectiveRows::startedPermute)
          .put("collective-permute-start", CollectiveRows::startedPermute)
          .put("ragged-all-to-all", CollectiveRows::raggedAllToAll)
          .put("reduce-scatter", CollectiveRows::reduceScatter)
          .buildOrThrow();

  private CollectiveRows() {}

  /** One group of everybody, written or not. */
  private static ReplicaGroups groups(Choices choices) {
    return choices.chance(2) ? ReplicaGroups.all() : ReplicaGroups.of(new long[1]);
  }

  /** A channel of its own, or none. */
  private static Optional<Long> channel(Block block) {
    return block.choices().chance(3)
        ? Optional.of(1L + block.draft().nextName())
        : Optional.empty();
  }

  /** One to three arrays, for reductions of one type. */
  private static List<HloInstruction> operands(Block block, HloInstruction first, boolean isOne) {
    Choices choices = block.choices();
    List<HloInstruction> operands = new ArrayList<>(List.of(first));
    while (operands.size() < 3 && choices.chance(3)) {
      operands.add(
          choices.chance(4)
              ? first
              : Sources.array(
                  block,
                  type -> !isOne || type == shape(first).elementType(),
                  shape(first).rank(),
                  5));
    }
    return operands;
  }

  private static HloComputation reducer(Block block, HloInstruction first) {
    Shape scalar = Shape.of(shape(first).elementType());
    return Regions.of(
        block, Place.DEVICES, List.of(scalar, scalar), scalar, shape(first).elementCount());
  }

  private static Shape joined(List<HloInstruction> operands) {
    return operands.size() == 1
        ? shape(operands.get(0))
        : new Shape.Tuple(ImmutableList.copyOf(ControlRows.shapes(operands)));
  }

  private static void allReduce(Block block, Choices choices) {
    List<HloInstruction> operands = operands(block, Sources.array(block, type -> true), true);
    block.add(
        new AllReduce(channel(block), groups(choices), false, false),
        operands,
        List.of(reducer(block, operands.get(0))));
  }

  private static void startedReduce(Block block, Choices choices) {
    List<HloInstruction> operands = operands(block, Sources.array(block, type -> true), true);
    HloInstruction start =
        block.add(
            new AllReduceStart(channel(block), groups(choices), false, false),
            operands,
            List.of(reducer(block, operands.get(0))));
    ControlRows.between(block);
    block.add(new AllReduceDone(), start);
  }

  private static void reduceScatter(Block block, Choices choices) {
    List<HloInstruction> operands = operands(block, Sources.line(block, type -> true), true);
    Dims dimension = Dims.of(choices.below(shape(operands.get(0)).rank()));
    block.add(
        new ReduceScatter(
            channel(block), groups(choices), false, false, dimension, joined(operands)),
        operands,
        List.of(reducer(block, operands.get(0))));
  }

  private static void allGather(Block block, Choices choices) {
    List<HloInstruction> operands = operands(block, Sources.line(block, type -> true), false);
    Dims dimension = Dims.of(choices.below(shape(operands.get(0)).rank()));
    block.add(
        new AllGather(channel(block), groups(choices), false, dimension, false, joined(operands)),
        operands,
        List.of());
  }

  private static void startedGather(Block block, Choices choices) {
    List<HloInstruction> operands = operands(block, Sources.line(block, type -> true), false);
    Dims dimension = Dims.of(choices.below(shape(operands.get(0)).rank()));
    Shape both = Shape.tuple(joined(operands), joined(operands));
    HloInstruction start =
        block.add(
            new AllGatherStart(channel(block), groups(choices), false, dimension, false, both),
            operands,
            List.of());
    ControlRows.between(block);
    block.add(new AllGatherDone(), start);
  }

  /** Along a dimension, or of one operand for each device. */
  private static void allToAll(Block block, Choices choices) {
    HloInstruction operand = Sources.line(block, type -> true);
    Optional<Dims> dimension =
        choices.chance(2)
            ? Optional.of(Dims.of(choices.below(shape(operand).rank())))
            : Optional.empty();
    block.add(new AllToAll(channel(block), groups(choices), false, dimension), operand);
  }

  private static void broadcast(Block block, Choices choices) {
    List<HloInstruction> operands = operands(block, Sources.array(block, type -> true), false);
    block.add(new CollectiveBroadcast(channel(block), groups(choices)), operands, List.of());
  }

  /** The pairs of the only device: with itself, or none, which gives zeros. */
  private static ImmutableList<Dims> pairs(Choices choices) {
    return choices.chance(3) ? ImmutableList.of() : ImmutableList.of(Dims.of(0, 0));
  }

  private static void permute(Block block, Choices choices) {
    List<HloInstruction> operands = operands(block, Sources.array(block, type -> true), false);
    block.add(new CollectivePermute(channel(block), pairs(choices)), operands, List.of());
  }

  private static void startedPermute(Block block, Choices choices) {
    List<HloInstruction> operands = operands(block, Sources.array(block, type -> true), false);
    Shape both = Shape.tuple(joined(operands), joined(operands));
    HloInstruction start =
        block.add(
            new CollectivePermuteStart(channel(block), pairs(choices), ImmutableList.of(), both),
            operands,
            List.of());
    ControlRows.between(block);
    block.add(new CollectivePermuteDone(), start);
  }

  /** Some rows to other rows of an array. */
  private static void raggedAllToAll(Block block, Choices choices) {
    HloInstruction input = Sources.line(block, type -> true);
    Dims sizes = shape(input).sizes();
    long rows = choices.between(0, Math.min(sizes.get(0), 99));
    long from = choices.between(0, sizes.get(0) - rows);
    long to = choices.between(0, 3);
    ElementType type = choices.oneOf(List.of(ElementType.S32, ElementType.S64));
    HloInstruction output =
        Sources.value(block, shape(input).withSizes(sizes.with(0, rows + to + choices.below(3))));
    block.add(
        new RaggedAllToAll(channel(block), groups(choices)),
        input,
        output,
        vector(block, type, from),
        vector(block, type, rows),
        vector(block, type, to),
        vector(block, type, rows));
  }

  private static HloInstruction vector(Block block, ElementType type, long number) {
    Literal literal = block.choices().whole(Shape.of(type, 1), number, number);
    return Sources.given(block, literal);
  }
}
