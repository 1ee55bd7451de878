package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.joining;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.builder.Participants;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AllGather;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.CollectivePermute;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.RaggedAllToAll;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.ReduceScatter;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;

/** The lowering of collective ops and of transfers between devices and the host. */
final class CollectiveLowerings {
  private CollectiveLowerings() {}

  static void addTo(Lowerings table) {
    table.many("stablehlo.all_gather", CollectiveLowerings::allGather);
    table.many("stablehlo.all_reduce", CollectiveLowerings::allReduce);
    table.many("stablehlo.cross-replica-sum", CollectiveLowerings::crossReplicaSum);
    table.one("stablehlo.reduce_scatter", CollectiveLowerings::reduceScatter);
    table.many("stablehlo.all_to_all", CollectiveLowerings::allToAll);
    table.many("stablehlo.collective_broadcast", RootedCollectiveLowerings::broadcast);
    table.many("stablehlo.collective_reduce", RootedCollectiveLowerings::reduce);
    table.one("stablehlo.collective_permute", CollectiveLowerings::permute);
    table.one("stablehlo.replica_id", op -> op.emit(new ReplicaId()));
    table.one("stablehlo.partition_id", op -> op.emit(new PartitionId()));
    table.many("stablehlo.infeed", CollectiveLowerings::infeed);
    table.one("stablehlo.outfeed", CollectiveLowerings::outfeed);
    table.one("stablehlo.send", CollectiveLowerings::send);
    table.many("stablehlo.recv", CollectiveLowerings::recv);
  }

  private static ImmutableList<HloInstruction> allGather(OpImport op) {
    CollectiveRules.requireResults(op, op.operandCount());
    for (int i = 0; i < op.operandCount(); i++) {
      Type.Tensor operand = op.operandTensor(i);
      Type.Tensor result = RegionRules.tensor(op.resultType(i), "result");
      int dimension = CollectiveRules.dimension(op, "all_gather_dim", operand.rank(), "C1");
      require(
          operand.element().equals(result.element()),
          "all_gather C6",
          "result got %s, want the element type of %s",
          result,
          operand);
      CollectiveRules.requireMultiple("all_gather C6", dimension, result, operand);
    }
    ReplicaGroups groups = CollectiveRules.groups(op, true, true);
    CollectiveRules.requireChannel(op, "C5", 0);
    if (op.isVerifying()) {
      return op.placeholders();
    }
    return op.results(
        op.emit(
            new AllGather(
                CollectiveRules.channel(op),
                groups,
                false,
                Dims.of(op.fields().int64("all_gather_dim")),
                CollectiveRules.isGlobal(op),
                op.resultShape()),
            op.operands(),
            List.of()));
  }

  /** Returns the first operands converted to the accumulator type of the region. */
  static ImmutableList<HloInstruction> promoted(OpImport op, int count) {
    return op.promoted(0, Collections.nCopies(count, op.argumentTypes(0).get(0)));
  }

  /** Requires that the region is a valid reducer for each operand. */
  static void requireReducer(OpImport op, int operands, String rule) {
    for (int i = 0; i < operands; i++) {
      Type.Tensor operand = op.operandTensor(i);
      RegionRules.requireReducer(
          op,
          0,
          CollectiveRules.name(op) + " " + rule,
          List.of(operand),
          List.of(RegionRules.scalar(operand.element())),
          List.of());
    }
  }

  private static ImmutableList<HloInstruction> allReduce(OpImport op) {
    CollectiveRules.requireResults(op, op.operandCount());
    ReplicaGroups groups = CollectiveRules.groups(op, false, true);
    CollectiveRules.requireChannel(op, "C4", 1);
    requireReducer(op, op.operandCount(), "C5");
    return op.results(
        op.emit(
            new AllReduce(CollectiveRules.channel(op), groups, false, CollectiveRules.isGlobal(op)),
            promoted(op, op.operandCount()),
            List.of(op.region(0, "all_reduce_body"))));
  }

  private static ImmutableList<HloInstruction> crossReplicaSum(OpImport op) {
    HloComputation sum = op.target().sum(op.array(0).elementType(), op.operation());
    return ImmutableList.of(
        op.emit(
            new AllReduce(Optional.empty(), summed(op), false, false),
            op.operands(),
            List.of(sum)));
  }

  /** Returns the groups of a sum; upstream takes a constant of any shape for none. */
  private static ReplicaGroups summed(OpImport op) {
    return op.fields().entries().get("replica_groups") instanceof Attribute.Dense dense
            && dense.type().sizes().contains(0L)
        ? ReplicaGroups.all()
        : CollectiveRules.groups(op, false, true);
  }

  private static HloInstruction reduceScatter(OpImport op) {
    ElementwiseLowerings.requireOperands(op, 1);
    ReplicaGroups groups = CollectiveRules.groups(op, true, true);
    requireReducer(op, 1, "C7");
    Type.Tensor operand = op.operandTensor(0);
    Type.Tensor result = RegionRules.tensor(op.resultType(0), "result");
    int dimension = CollectiveRules.dimension(op, "scatter_dimension", operand.rank(), "C2");
    CollectiveRules.requireChannel(op, "C6", 1);
    require(
        operand.rank() == result.rank() && operand.sizes().get(dimension) != 0,
        "reduce_scatter C8",
        "got %s and %s, want the same rank and a size above 0 in dimension %s",
        operand,
        result,
        dimension);
    CollectiveRules.requireMultiple("reduce_scatter C8", dimension, operand, result);
    HloComputation body = op.region(0, "reduce_scatter_body");
    if (op.isVerifying()) {
      return op.placeholder(
          op.resultArray().withElementType(Shapes.elementType(op.argumentTypes(0).get(0))));
    }
    return op.emit(
        new ReduceScatter(
            CollectiveRules.channel(op),
            groups,
            false,
            CollectiveRules.isGlobal(op),
            Dims.of(dimension),
            op.resultArray()),
        promoted(op, op.operandCount()),
        List.of(body));
  }

  /** Lowers an all-to-all, with one instruction for each operand in the form with dimensions. */
  private static ImmutableList<HloInstruction> allToAll(OpImport op) {
    CollectiveRules.requireResults(op, op.operandCount());
    long count = op.fields().int64("split_count");
    require(count > 0, "all_to_all C4", "split_count got %s, want at least 1", count);
    ReplicaGroups groups = CollectiveRules.groups(op, true, true);
    CollectiveRules.requireGroupSize(op, count);
    ImmutableList.Builder<HloInstruction> results = ImmutableList.builder();
    for (int i = 0; i < op.operandCount(); i++) {
      HloInstruction operand = op.operand(i);
      int rank = op.array(i).rank();
      int split = CollectiveRules.dimension(op, "split_dimension", rank, "C1");
      int concat = CollectiveRules.dimension(op, "concat_dimension", rank, "C3");
      results.add(
          op.isVerifying()
              ? op.placeholder(exchanged(op.operandTensor(i), split, concat, count))
              : op.inlineLibraryFunction(
                  x ->
                      x.get(0)
                          .allToAll(
                              split,
                              concat,
                              count,
                              CollectiveRules.channel(op)
                                  .map(id -> Participants.channel(id, groups))
                                  .orElseGet(() -> Participants.replicas(groups))),
                  List.of(operand)));
    }
    return results.build();
  }

  private static Shape exchanged(Type.Tensor operand, int split, int concat, long count) {
    List<Long> sizes = new ArrayList<>(operand.sizes());
    if (sizes.get(split) != Type.DYNAMIC) {
      require(
          sizes.get(split) % count == 0,
          "all_to_all C2",
          "operand got %s, want a multiple of split_count %s in dimension %s",
          operand,
          count,
          split);
      sizes.set(split, sizes.get(split) / count);
    }
    if (sizes.get(concat) != Type.DYNAMIC) {
      sizes.set(concat, sizes.get(concat) * count);
    }
    return Shapes.openShape(Type.Tensor.of(operand.element(), sizes));
  }

  /**
   * Emits the custom call that XLA reads as the op, with channel and groups in its configuration.
   */
  static HloInstruction raggedAllToAll(OpImport op) {
    Attribute given = CallConfig.of(op.fields()).value().orElse(null);
    if (!(given instanceof Attribute.Dictionary dictionary)) {
      throw new HloException(
          VERIFY,
          "backend_config got "
              + (given == null ? "none" : given)
              + ", want a dictionary with replica_groups");
    }
    Fields config = new Fields(dictionary.entries());
    return op.emit(
        new RaggedAllToAll(
            config.has("channel_id") ? Optional.of(config.int64("channel_id")) : Optional.empty(),
            ReplicaGroups.of(config.rows("replica_groups"))),
        op.operands(),
        List.of());
  }

  private static HloInstruction permute(OpImport op) {
    ImmutableList<Dims> pairs = op.fields().pairs("source_target_pairs", "collective_permute C1");
    return op.emit(
        new CollectivePermute(CollectiveRules.channel(op), pairs, ImmutableList.of()),
        ElementwiseLowerings.only(op));
  }

  private static ImmutableList<HloInstruction> infeed(OpImport op) {
    CollectiveRules.requireTensorsAndToken(op, 1);
    CollectiveRules.requireLayouts(op);
    Shape data = new Shape.Tuple(laidOut(op, op.resultShapes(0, op.resultCount() - 1)));
    Infeed config = new Infeed(data, op.fields().string("infeed_config"));
    HloInstruction infeed =
        op.annotate(op.emit(config, ElementwiseLowerings.only(op)), op.annotations());
    return ImmutableList.<HloInstruction>builder()
        .addAll(op.elements(op.element(infeed, 0)))
        .add(op.element(infeed, 1))
        .build();
  }

  private static ImmutableList<Shape> laidOut(OpImport op, List<Shape> shapes) {
    ImmutableList<Attribute> layouts = op.fields().array("layout");
    return layouts.isEmpty()
        ? ImmutableList.copyOf(shapes)
        : IntStream.range(0, shapes.size())
            .mapToObj(i -> CustomCalls.withLayout(shapes.get(i), order(layouts.get(i))))
            .collect(toImmutableList());
  }

  private static Dims order(Attribute layout) {
    return Dims.copyOf(
        ((Attribute.Array) layout)
            .elements().stream().map(each -> ((Attribute.Int) each).value().longValue()).toList());
  }

  /** Returns all operands except the token: a single one, or a tuple of several. */
  private static HloInstruction data(OpImport op) {
    ImmutableList<HloInstruction> data = op.operands(0, op.operandCount() - 1);
    return data.size() == 1 ? data.get(0) : op.tuple(data);
  }

  private static HloInstruction outfeed(OpImport op) {
    HloInstruction data = op.tuple(op.operands(0, op.operandCount() - 1));
    return op.emit(
        new Outfeed(data.shape(), op.fields().string("outfeed_config")),
        data,
        op.operand(op.operandCount() - 1));
  }

  private static HloInstruction send(OpImport op) {
    CollectiveRules.requireChannelType(op, 2, "DEVICE_TO_HOST");
    long channel = op.fields().struct("channel_handle").int64("handle", 0);
    boolean host = op.fields().bool("is_host_transfer");
    HloInstruction send =
        op.emit(
            new Send(channel, host),
            List.of(data(op), op.operand(op.operandCount() - 1)),
            List.of(),
            pairs(op));
    HloInstruction sent = op.annotate(send, op.annotations().ofBegun());
    return op.emit(new SendDone(channel, host), List.of(sent), List.of(), pairs(op));
  }

  /** Returns the devices between which a value is sent, which HLO has as a frontend attribute. */
  private static Map<String, String> pairs(OpImport op) {
    ImmutableList<Dims> pairs = op.fields().pairs("source_target_pairs", "");
    if (pairs.isEmpty()) {
      return Map.of();
    }
    String text =
        pairs.stream()
            .map(pair -> "{" + pair.get(0) + "," + pair.get(1) + "}")
            .collect(joining(",", "{", "}"));
    return Map.of(
        "frontend_attributes",
        AttributeText.frontendAttributes(Map.of("_xla_send_recv_source_target_pairs", text)));
  }

  private static ImmutableList<HloInstruction> recv(OpImport op) {
    CollectiveRules.requireChannelType(op, 3, "HOST_TO_DEVICE");
    CollectiveRules.requireTensorsAndToken(op, 2);
    long channel = op.fields().struct("channel_handle").int64("handle", 0);
    boolean host = op.fields().bool("is_host_transfer");
    ImmutableList<Shape> shapes = op.resultShapes(0, op.resultCount() - 1);
    Shape data = shapes.size() == 1 ? shapes.get(0) : new Shape.Tuple(shapes);
    HloInstruction token = ElementwiseLowerings.only(op);
    HloInstruction recv =
        op.emit(new Recv(data, channel, host), List.of(token), List.of(), pairs(op));
    HloInstruction begun = op.annotate(recv, op.annotations().ofBegun());
    HloInstruction done =
        op.emit(new RecvDone(channel, host), List.of(begun), List.of(), pairs(op));
    HloInstruction value = op.element(done, 0);
    return ImmutableList.<HloInstruction>builder()
        .addAll(value.shape() instanceof Shape.Tuple ? op.elements(value) : ImmutableList.of(value))
        .add(op.element(done, 1))
        .build();
  }
}
