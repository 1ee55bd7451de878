package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.joining;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.builder.Participants;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.RaggedAllToAll;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.stablehlo.mlir.Attribute;

/** The lowering of collective ops and of transfers between devices and the host. */
final class CollectiveLowerings {
  private CollectiveLowerings() {}

  static void addTo(Lowerings table) {
    table
        .mirror("stablehlo.all_gather")
        .checkedBy(op -> CollectiveRules.requireElements(op, "all_gather_dim", "all_gather C6"))
        .checkedBy(op -> CollectiveRules.requireDevices(op, "C5"))
        .onlyCheckedIf(CollectiveRules::hasUnknownMesh);
    table
        .many("stablehlo.all_reduce", CollectiveLowerings::reduce)
        .checkedBy(op -> checkReduction(op, "C4", "C5"))
        .onlyCheckedIf(CollectiveRules::hasUnknownMesh);
    table
        .one("stablehlo.cross-replica-sum", CollectiveLowerings::crossReplicaSum)
        .checkedBy(op -> CollectiveRules.known(op).ifPresent(groups -> groups.check(false)))
        .onlyCheckedIf(CollectiveRules::hasUnknownMesh);
    table
        .many("stablehlo.reduce_scatter", CollectiveLowerings::reduce)
        .checkedBy(
            op -> CollectiveRules.requireElements(op, "scatter_dimension", "reduce_scatter C8"))
        .checkedBy(op -> checkReduction(op, "C6", "C7"))
        .onlyCheckedIf(CollectiveRules::hasUnknownMesh);
    table
        .many("stablehlo.all_to_all", CollectiveLowerings::allToAll)
        .checkedBy(CollectiveRules::checkAllToAll)
        .onlyChecked()
        .inferringAll(CollectiveRules::exchanged);
    table
        .many("stablehlo.collective_broadcast", RootedCollectiveLowerings::broadcast)
        .checkedBy(RootedCollectiveLowerings::checkBroadcast)
        .onlyChecked()
        .inferringAll(op -> op.operandShapes().subList(0, RootedCollectiveLowerings.dataCount(op)));
    table
        .many("stablehlo.collective_reduce", RootedCollectiveLowerings::reduce)
        .checkedBy(RootedCollectiveLowerings::checkReduce)
        .onlyChecked()
        .inferringAll(CollectiveLowerings::promotedShapes);
    table.many("stablehlo.infeed", CollectiveLowerings::infeed);
    table.one("stablehlo.outfeed", CollectiveLowerings::outfeed);
    table.one("stablehlo.send", CollectiveLowerings::send);
    table.many("stablehlo.recv", CollectiveLowerings::recv);
  }

  /** Returns the first operands converted to the accumulator type of the region. */
  static ImmutableList<HloInstruction> promoted(OpImport op, int count) {
    return op.promoted(0, Collections.nCopies(count, op.argumentTypes(0).get(0)));
  }

  private static List<Shape> promotedShapes(OpImport op) {
    ElementType type = Shapes.elementType(op.argumentTypes(0).get(0));
    return op.operandShapes().subList(0, RootedCollectiveLowerings.dataCount(op)).stream()
        .<Shape>map(shape -> ((Shape.Array) shape).withElementType(type))
        .toList();
  }

  private static void checkReduction(OpImport op, String ofDevices, String ofReducer) {
    CollectiveRules.requireDevices(op, ofDevices);
    CollectiveRules.requireReducer(op, op.operandCount(), ofReducer);
  }

  private static ImmutableList<HloInstruction> reduce(OpImport op) {
    return op.results(op.emitMirrored(promoted(op, op.operandCount())));
  }

  private static HloInstruction crossReplicaSum(OpImport op) {
    ReplicaGroups groups = CollectiveRules.groups(op);
    return op.inlineLibraryFunction(x -> x.get(0).crossReplicaSum(groups), op.operands());
  }

  /** Lowers an all-to-all, with one instruction for each operand in the form with dimensions. */
  private static ImmutableList<HloInstruction> allToAll(OpImport op) {
    Fields fields = op.fields();
    Participants participants = CollectiveRules.participants(op);
    return op.operands().stream()
        .map(operand ->
            op.inlineLibraryFunction(
                x ->
                    x.get(0)
                        .allToAll(
                            fields.int32("split_dimension"),
                            fields.int32("concat_dimension"),
                            fields.int64("split_count"),
                            participants),
                List.of(operand)))
        .collect(toImmutableList());
  }

  /**
   * Emits the custom call that XLA reads as the op, with channel and groups in its configuration.
   */
  static HloInstruction raggedAllToAll(OpImport op) {
    Attribute given = CallConfig.of(op.fields()).value().orElse(null);
    if (!(given instanceof Attribute.Dictionary dictionary)) {
      throw new HloException(
          VERIFY,
          "backend_config got %s, want a dictionary with replica_groups",
          given == null ? "none" : given);
    }
    Fields config = new Fields(dictionary.entries());
    return op.emit(
        new RaggedAllToAll(
            config.has("channel_id") ? Optional.of(config.int64("channel_id")) : Optional.empty(),
            ReplicaGroups.of(config.rows("replica_groups"))),
        op.operands(),
        List.of());
  }

  private static ImmutableList<HloInstruction> infeed(OpImport op) {
    CollectiveRules.requireTensorsAndToken(op, 1);
    Shape data = new Shape.Tuple(laidOut(op, op.resultShapes(0, op.resultCount() - 1)));
    Infeed config = new Infeed(data, op.fields().string("infeed_config"));
    HloInstruction infeed = op.annotate(op.emit(config, op.operand(0)), op.annotations());
    return received(op, infeed);
  }

  /** Returns the arrays that were received, and the token behind them. */
  private static ImmutableList<HloInstruction> received(OpImport op, HloInstruction pair) {
    HloInstruction value = op.element(pair, 0);
    return ImmutableList.<HloInstruction>builder()
        .addAll(value.shape() instanceof Shape.Tuple ? op.elements(value) : ImmutableList.of(value))
        .add(op.element(pair, 1))
        .build();
  }

  /** Returns the shapes with the layouts of an infeed: a list of integers each, if it has any. */
  private static ImmutableList<Shape> laidOut(OpImport op, ImmutableList<Shape> shapes) {
    if (!op.fields().has("layout")) {
      return shapes;
    }
    ImmutableList<Attribute> layouts = op.fields().array("layout");
    verify(
        layouts.size() == shapes.size(),
        "layout got %s lists, want %s, one for each tensor",
        layouts.size(),
        shapes.size());
    return Streams.zip(
            shapes.stream(),
            layouts.stream(),
            (shape, layout) -> CustomCalls.withLayout(shape, order(layout)))
        .collect(toImmutableList());
  }

  private static Dims order(Attribute layout) {
    verify(
        layout instanceof Attribute.Array list
            && list.elements().stream().allMatch(Attribute.Int.class::isInstance),
        "layout got %s, want a list of integers",
        layout);
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
    return ShardyLowerings.frontend(Map.of("_xla_send_recv_source_target_pairs", text));
  }

  private static ImmutableList<HloInstruction> recv(OpImport op) {
    CollectiveRules.requireChannelType(op, 3, "HOST_TO_DEVICE");
    CollectiveRules.requireTensorsAndToken(op, 2);
    long channel = op.fields().struct("channel_handle").int64("handle", 0);
    boolean host = op.fields().bool("is_host_transfer");
    Shape data = Shapes.joined(op.resultShapes(0, op.resultCount() - 1));
    HloInstruction token = op.operand(0);
    HloInstruction recv =
        op.emit(new Recv(data, channel, host), List.of(token), List.of(), pairs(op));
    HloInstruction begun = op.annotate(recv, op.annotations().ofBegun());
    return received(op, op.emit(new RecvDone(channel, host), List.of(begun), List.of(), pairs(op)));
  }
}
