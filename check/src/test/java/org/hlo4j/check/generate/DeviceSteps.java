package org.hlo4j.check.generate;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AllGather;
import org.hlo4j.hlo.op.AllGatherDone;
import org.hlo4j.hlo.op.AllGatherStart;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.AllReduceDone;
import org.hlo4j.hlo.op.AllReduceStart;
import org.hlo4j.hlo.op.AllToAll;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.CollectiveBroadcast;
import org.hlo4j.hlo.op.CollectivePermute;
import org.hlo4j.hlo.op.CollectivePermuteDone;
import org.hlo4j.hlo.op.CollectivePermuteStart;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.RaggedAllToAll;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.ReduceScatter;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.RngGetAndUpdateState;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;

/**
 * Steps with the ops of devices, on one device: collectives, asynchronous ops, dependencies, and
 * random numbers of a hidden state.
 */
final class DeviceSteps {
  static final ImmutableList<Step> ALL =
      ImmutableList.of(
          DeviceSteps::collective,
          DeviceSteps::collective,
          DeviceSteps::raggedAllToAll,
          DeviceSteps::dependency,
          DeviceSteps::asynchronous,
          DeviceSteps::started,
          DeviceSteps::host,
          DeviceSteps::customCall,
          DeviceSteps::random);

  private DeviceSteps() {}

  private static Shape.Array shape(HloInstruction instruction) {
    return (Shape.Array) instruction.shape().withoutLayout();
  }

  private static void collective(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.rank() > 0);
    Dims dimension = Dims.of(choices.below(shape(operand).rank()));
    ReplicaGroups groups = choices.chance(2) ? ReplicaGroups.all() : ReplicaGroups.of(new long[1]);
    Optional<Long> none = Optional.empty();
    Op op =
        switch (choices.below(6)) {
          case 0 -> new AllReduce(none, groups, false, false);
          case 1 -> new ReduceScatter(none, groups, false, false, dimension, shape(operand));
          case 2 -> new AllGather(none, groups, false, dimension, false, shape(operand));
          case 3 -> new AllToAll(none, groups, false, Optional.of(dimension));
          case 4 -> new CollectiveBroadcast(none, groups);
          default -> new CollectivePermute(none, pairs(choices));
        };
    block.add(op, List.of(operand), op.callees().isEmpty() ? List.of() : reducer(block, operand));
  }

  /** Returns the pairs of the only device: with itself, or none, which gives zeros. */
  private static ImmutableList<Dims> pairs(Choices choices) {
    return choices.chance(3) ? ImmutableList.of() : ImmutableList.of(Dims.of(0, 0));
  }

  private static List<HloComputation> reducer(Block block, HloInstruction operand) {
    ElementType type = shape(operand).elementType();
    return List.of(ReduceSteps.body(block, Regions.combining(block.choices, type), type));
  }

  /** Appends a move of some rows to other rows of an array. */
  private static void raggedAllToAll(Block block, Choices choices) {
    HloInstruction input = Numbers.any(block, shape -> shape.rank() > 0 && shape.size(0) > 0);
    Dims sizes = shape(input).sizes();
    int rows = 1 + choices.below((int) Math.min(sizes.get(0), 100));
    int from = choices.below((int) sizes.get(0) - rows + 1);
    int to = choices.below(3);
    HloInstruction output =
        Numbers.like(block, shape(input).withSizes(sizes.with(0, rows + to + choices.below(3))));
    block.add(
        new RaggedAllToAll(Optional.empty(), ReplicaGroups.all()),
        input,
        output,
        vector(block, from),
        vector(block, rows),
        vector(block, to),
        vector(block, rows));
  }

  private static HloInstruction vector(Block block, int number) {
    return block.scalar(Literal.of(new int[] {number}));
  }

  private static void dependency(Block block, Choices choices) {
    HloInstruction token =
        choices.chance(2)
            ? block.add(new AfterAll())
            : block.add(new AfterAll(), block.add(new AfterAll()), block.add(new AfterAll()));
    block.add(new AddDependency(), Numbers.any(block), token);
  }

  /** Appends a computation that is started and later done. */
  private static void asynchronous(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block);
    Block body = block.inner(Numbers.CALLED, List.of(shape(operand)), 1);
    List<Kind> kinds =
        Arrays.stream(Kind.values())
            .filter(kind -> kind.accepts(shape(operand).elementType()))
            .toList();
    Kind kind = choices.oneOf(kinds);
    body.add(
        new Elementwise(kind),
        Collections.nCopies(kind.arity(), body.instructions().getLast()),
        List.of());
    Shape result = body.instructions().getLast().shape();
    Shape whole =
        new Shape.Tuple(
            ImmutableList.of(
                new Shape.Tuple(ImmutableList.of(shape(operand))),
                result,
                Shape.of(ElementType.U32)));
    HloInstruction start =
        block.add(
            new AsyncStart(whole, ""),
            List.of(operand),
            List.of(body.close(body.instructions().getLast())));
    AnyPrograms.steps(block, choices, choices.below(2), false);
    HloInstruction update = choices.chance(3) ? block.add(new AsyncUpdate(), start) : start;
    block.add(new AsyncDone(), update);
  }

  /** Appends a copy or a collective in two parts, or a border of two domains. */
  private static void started(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block);
    Optional<Long> none = Optional.empty();
    switch (choices.below(5)) {
      case 0 -> block.add(new CopyDone(), block.add(new CopyStart(Optional.empty()), operand));
      case 1 -> {
        AllReduceStart op = new AllReduceStart(none, ReplicaGroups.all(), false, false);
        HloInstruction start = block.add(op, List.of(operand, operand), reducer(block, operand));
        ControlSteps.takeApart(block, block.add(new AllReduceDone(), start));
      }
      case 2 -> {
        HloInstruction array = Numbers.any(block, shape -> shape.rank() > 0);
        Dims dimension = Dims.of(choices.below(shape(array).rank()));
        Shape both = new Shape.Tuple(ImmutableList.of(shape(array), shape(array)));
        AllGatherStart op =
            new AllGatherStart(none, ReplicaGroups.all(), false, dimension, false, both);
        block.add(new AllGatherDone(), block.add(op, array));
      }
      case 3 -> {
        Shape both = new Shape.Tuple(ImmutableList.of(shape(operand), shape(operand)));
        CollectivePermuteStart op =
            new CollectivePermuteStart(none, pairs(choices), ImmutableList.of(), both);
        block.add(new CollectivePermuteDone(), block.add(op, operand));
      }
      default ->
          block.add(
              new Domain(new Domain.Border("sharding", "{maximal device=0}", "{replicated}")),
              operand);
    }
  }

  /**
   * Appends what goes to the host or comes from it, or goes through a channel. What depends on it
   * follows.
   */
  private static void host(Block block, Choices choices) {
    require(block.isEntry(), "", "infeed is of the entry");
    HloInstruction operand = Numbers.any(block);
    HloInstruction token = block.add(new AfterAll());
    switch (choices.below(3)) {
      case 0 -> {
        HloInstruction both = block.add(new Infeed(Numbers.shape(choices), ""), token);
        block.add(new GetTupleElement(0), both);
      }
      case 1 -> {
        HloInstruction out = block.add(new Outfeed(shape(operand), ""), operand, token);
        block.add(new AddDependency(), operand, out);
      }
      default -> {
        long channel = 1L + block.instructions().size();
        boolean isHost = choices.chance(2);
        HloInstruction send = block.add(new Send(channel, isHost), operand, token);
        HloInstruction sent = block.add(new SendDone(channel, isHost), send);
        HloInstruction recv = block.add(new Recv(shape(operand), channel, isHost), sent);
        HloInstruction both = block.add(new RecvDone(channel, isHost), recv);
        block.add(new GetTupleElement(0), both);
      }
    }
  }

  /** Appends a call of a target that every evaluator knows. */
  private static void customCall(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block);
    String target = choices.oneOf(List.of("Sharding", "annotate_device_placement", "MoveToHost"));
    block.add(new CustomCall(shape(operand), target), operand);
  }

  private static void random(Block block, Choices choices) {
    if (choices.chance(3)) {
      block.add(new RngGetAndUpdateState(1L + choices.below(5)));
      return;
    }
    Shape.Array shape = Numbers.shape(choices);
    Rng.Distribution distribution =
        choices.oneOf(List.of(Rng.Distribution.RNG_UNIFORM, Rng.Distribution.RNG_NORMAL));
    block.add(
        new Rng(shape, distribution),
        Regions.identity(block, Kind.ADD, shape.elementType()),
        Regions.identity(block, Kind.MULTIPLY, shape.elementType()));
  }
}
