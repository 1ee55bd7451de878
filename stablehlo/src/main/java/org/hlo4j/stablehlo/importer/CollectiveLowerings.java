package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.builder.Participants;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AllGather;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.CollectiveBroadcast;
import org.hlo4j.hlo.op.CollectivePermute;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.ReduceScatter;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Value;

/** Ops between devices and with the host. */
final class CollectiveLowerings {
  private CollectiveLowerings() {}

  static void addTo(Lowerings table) {
    table.many("stablehlo.all_gather", CollectiveLowerings::allGather);
    table.many("stablehlo.all_reduce", CollectiveLowerings::allReduce);
    table.many("stablehlo.cross-replica-sum", CollectiveLowerings::crossReplicaSum);
    table.one("stablehlo.reduce_scatter", CollectiveLowerings::reduceScatter);
    table.many("stablehlo.all_to_all", CollectiveLowerings::allToAll);
    table.one(
        "stablehlo.collective_broadcast",
        op ->
            op.emit(
                new CollectiveBroadcast(channel(op), groups(op)), ElementwiseLowerings.only(op)));
    table.one(
        "stablehlo.collective_permute",
        op ->
            op.emit(
                new CollectivePermute(
                    channel(op), op.fields().rows("source_target_pairs"), ImmutableList.of()),
                ElementwiseLowerings.only(op)));
    table.one("stablehlo.replica_id", op -> op.emit(new ReplicaId()));
    table.one("stablehlo.partition_id", op -> op.emit(new PartitionId()));
    table.many("stablehlo.infeed", CollectiveLowerings::infeed);
    table.one("stablehlo.outfeed", CollectiveLowerings::outfeed);
    table.one("stablehlo.send", CollectiveLowerings::send);
    table.many("stablehlo.recv", CollectiveLowerings::recv);
    table.many("stablehlo.collective_reduce", CollectiveLowerings::withoutCounterpart);
    table.many("stablehlo.async_start", CollectiveLowerings::withoutCounterpart);
    table.many("stablehlo.async_done", CollectiveLowerings::withoutCounterpart);
  }

  private static ImmutableList<HloInstruction> withoutCounterpart(OpImport op) {
    throw new HloException(UNSUPPORTED, "got an op that has no counterpart in HLO here");
  }

  /** The channel's handle; 0 and less stand for none. */
  private static Optional<Long> channel(OpImport op) {
    long handle = op.fields().struct("channel_handle").integer("handle", 0);
    return handle > 0 ? Optional.of(handle) : Optional.empty();
  }

  /** Rows of ids; -1 fills short rows up. */
  static ReplicaGroups groups(OpImport op) {
    require(
        op.fields().entries().get("replica_groups") instanceof Attribute.Dense,
        UNSUPPORTED,
        "replica_groups got %s, want rows of ids",
        op.fields().entries().get("replica_groups"));
    ImmutableList<Dims> rows = op.fields().rows("replica_groups");
    return ReplicaGroups.of(
        rows.stream()
            .map(row -> Dims.of(row.stream().filter(id -> id != -1).toArray()))
            .filter(row -> !row.isEmpty())
            .collect(toImmutableList()));
  }

  private static boolean global(OpImport op) {
    return op.fields().has("use_global_device_ids");
  }

  private static ImmutableList<HloInstruction> each(OpImport op, HloInstruction result) {
    return op.resultCount() == 1 ? ImmutableList.of(result) : op.elements(result);
  }

  private static ImmutableList<HloInstruction> allGather(OpImport op) {
    Shape shape =
        Shapes.ofResults(
            op.operation().results().stream().map(Value::type).collect(toImmutableList()));
    return each(
        op,
        op.emit(
            new AllGather(
                channel(op),
                groups(op),
                false,
                Dims.of(op.fields().integer("all_gather_dim")),
                global(op),
                shape),
            op.operands(),
            List.of()));
  }

  private static ImmutableList<HloInstruction> promoted(OpImport op) {
    ElementType type = op.argumentTypes(0).get(0);
    return op.operands().stream()
        .map(operand -> op.converted(operand, type))
        .collect(toImmutableList());
  }

  private static ImmutableList<HloInstruction> allReduce(OpImport op) {
    HloComputation body = op.region(0, "all_reduce_body");
    require(body.parameters().size() == 2, VERIFY, "computation takes other than two scalars");
    return each(
        op,
        op.emit(
            new AllReduce(channel(op), groups(op), false, global(op)),
            promoted(op),
            List.of(body)));
  }

  private static ImmutableList<HloInstruction> crossReplicaSum(OpImport op) {
    HloComputation sum = op.target().sum(op.array(0).elementType(), op.operation());
    return ImmutableList.of(
        op.emit(
            new AllReduce(Optional.empty(), groups(op), false, false),
            op.operands(),
            List.of(sum)));
  }

  private static HloInstruction reduceScatter(OpImport op) {
    HloComputation body = op.region(0, "reduce_scatter_body");
    return op.emit(
        new ReduceScatter(
            channel(op),
            groups(op),
            false,
            global(op),
            Dims.of(op.fields().integer("scatter_dimension")),
            op.resultArray()),
        promoted(op),
        List.of(body));
  }

  /** Each operand is exchanged by itself, along the dimensions the builder's form has. */
  private static ImmutableList<HloInstruction> allToAll(OpImport op) {
    ImmutableList.Builder<HloInstruction> results = ImmutableList.builder();
    for (HloInstruction operand : op.operands()) {
      results.add(op.library(x -> exchanged(op, x.get(0)), List.of(operand)));
    }
    return results.build();
  }

  private static XlaOp exchanged(OpImport op, XlaOp operand) {
    return operand.allToAll(
        op.fields().small("split_dimension"),
        op.fields().small("concat_dimension"),
        op.fields().integer("split_count"),
        channel(op)
            .map(id -> Participants.channel(id, groups(op)))
            .orElseGet(() -> Participants.replicas(groups(op))));
  }

  private static ImmutableList<HloInstruction> infeed(OpImport op) {
    List<org.hlo4j.stablehlo.mlir.Type> types =
        op.operation().results().stream().map(Value::type).toList();
    Shape data = Shapes.tuple(types.subList(0, types.size() - 1));
    HloInstruction infeed =
        op.emit(
            new Infeed(data, op.fields().string("infeed_config")), ElementwiseLowerings.only(op));
    return ImmutableList.<HloInstruction>builder()
        .addAll(op.elements(op.element(infeed, 0)))
        .add(op.element(infeed, 1))
        .build();
  }

  /** All operands but the token, one by itself or several as a tuple. */
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
    long channel = op.fields().struct("channel_handle").integer("handle", 0);
    boolean host = op.fields().bool("is_host_transfer");
    HloInstruction send =
        op.emit(new Send(channel, host), data(op), op.operand(op.operandCount() - 1));
    return op.emit(new SendDone(channel, host), send);
  }

  private static ImmutableList<HloInstruction> recv(OpImport op) {
    long channel = op.fields().struct("channel_handle").integer("handle", 0);
    boolean host = op.fields().bool("is_host_transfer");
    List<org.hlo4j.stablehlo.mlir.Type> types =
        op.operation().results().stream().map(Value::type).toList();
    Shape data = Shapes.ofResults(types.subList(0, types.size() - 1));
    HloInstruction recv = op.emit(new Recv(data, channel, host), ElementwiseLowerings.only(op));
    HloInstruction done = op.emit(new RecvDone(channel, host), recv);
    HloInstruction value = op.element(done, 0);
    return ImmutableList.<HloInstruction>builder()
        .addAll(value.shape() instanceof Shape.Tuple ? op.elements(value) : ImmutableList.of(value))
        .add(op.element(done, 1))
        .build();
  }
}
