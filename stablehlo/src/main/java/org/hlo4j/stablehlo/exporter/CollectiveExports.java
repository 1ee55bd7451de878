package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AllGather;
import org.hlo4j.hlo.op.AllToAll;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectivePermute;
import org.hlo4j.hlo.op.RaggedAllToAll;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.dialect.MeshForm;
import org.hlo4j.stablehlo.dialect.RecordBinding;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/** The conversion of collective ops to StableHLO. */
final class CollectiveExports {
  private CollectiveExports() {}

  /** Converts the start of an asynchronous collective, which is executed here. */
  static ImmutableList<Value> started(OpExport op, Collective collective) {
    HloInstruction instruction = op.instruction();
    return values(
        op,
        collective,
        collective.infer(HloInstruction.inputs(instruction.operands(), instruction.called())));
  }

  static ImmutableList<Value> values(OpExport op, Collective collective, Shape result) {
    return switch (collective) {
      case AllGather gather -> allGather(op, gather, ShapeTypes.leaves(result));
      case AllToAll exchange ->
          exchange
              .dimensions()
              .map(dimensions -> allToAll(op, exchange, dimensions.get(0)))
              .orElseGet(() -> allToAllOfParts(op, exchange));
      case CollectivePermute permute -> permute(op, permute, ShapeTypes.leaves(result));
      case RaggedAllToAll exchange -> raggedAllToAll(op, exchange);
      default -> op.mirror(collective).withResultTypes(ShapeTypes.leaves(result)).emit();
    };
  }

  /**
   * Converts an all-gather. StableHLO does not gather along a dimension of size 0; the result is an
   * empty constant then.
   */
  private static ImmutableList<Value> allGather(OpExport op, AllGather gather, List<Type> types) {
    int dimension = gather.dimensions().getInt(0);
    boolean isEmpty =
        types.stream().anyMatch(type -> ((Type.Tensor) type).sizes().get(dimension) == 0);
    if (isEmpty) {
      return types.stream()
          .map(type -> op.constant(AttributeFactory.empty((Type.Tensor) type)))
          .collect(toImmutableList());
    }
    return op.mirror(gather).withResultTypes(types).emit();
  }

  /** Converts a collective permute, with one operation for each operand. */
  private static ImmutableList<Value> permute(
      OpExport op, CollectivePermute permute, List<Type> types) {
    if (permute.isInPlace()) {
      throw OpExport.unsupported("slices into an array");
    }
    ImmutableList.Builder<Value> results = ImmutableList.builder();
    List<Value> operands = op.operands();
    for (int i = 0; i < operands.size(); i++) {
      results.addAll(
          op.mirror(permute).withOperands(operands.get(i)).withResultTypes(types.get(i)).emit());
    }
    return results.build();
  }

  /**
   * Converts a ragged all-to-all to XLA's form: a custom call of the foreign function interface.
   */
  private static ImmutableList<Value> raggedAllToAll(OpExport op, RaggedAllToAll exchange) {
    ImmutableMap.Builder<String, Attribute> config = ImmutableMap.builder();
    exchange.channelId().ifPresent(id -> config.put("channel_id", Attribute.Int.i64(id)));
    config.put("replica_groups", AttributeFactory.rows(exchange.replicaGroups().groups()));
    return op.newOperation("stablehlo.custom_call")
        .with("call_target_name", new Attribute.Str("ragged_all_to_all"))
        .with("api_version", Attribute.Int.i32(4))
        .with("backend_config", new Attribute.Dictionary(config.buildOrThrow()))
        .emit();
  }

  private static OperationBuilder exchange(
      OpExport op, AllToAll exchange, long dimension, ReplicaGroups groups) {
    return op.newOperation("stablehlo.all_to_all")
        .with("channel_handle", exchange.channelId().map(id -> RecordBinding.channel(id, 1)))
        .with("split_dimension", dimension)
        .with("concat_dimension", dimension)
        .with("split_count", groups.groups().get(0).count())
        .with("replica_groups", MeshForm.groups(groups));
  }

  /** Returns the groups of an exchange; if it specifies none, the group of all devices. */
  private static ReplicaGroups all(AllToAll exchange, long devices) {
    return exchange.replicaGroups().groups().isEmpty()
        ? ReplicaGroups.of(List.of(Dims.range(0, devices)))
        : exchange.replicaGroups();
  }

  private static ImmutableList<Value> allToAll(OpExport op, AllToAll exchange, long dimension) {
    long devices =
        ModuleAttributes.devices(op.block().module().module(), exchange.channelId().isPresent());
    return exchange(op, exchange, dimension, all(exchange, devices)).emit();
  }

  /**
   * Converts an all-to-all with an operand for each device. The operands are exchanged as the parts
   * of one array.
   */
  private static ImmutableList<Value> allToAllOfParts(OpExport op, AllToAll exchange) {
    Type.Tensor each = OpExport.type(op.value(0));
    List<Long> row = new ArrayList<>(each.sizes());
    row.add(0, 1L);
    List<Long> all = new ArrayList<>(row);
    all.set(0, (long) op.operandCount());
    Value rows =
        op.newIntermediate("stablehlo.concatenate")
            .withOperands(op.operands().stream().map(part -> op.reshape(part, row)).toList())
            .withResultTypes(Type.Tensor.of(each.element(), all))
            .with("dimension", 0)
            .emitOne();
    Value exchanged =
        exchange(op, exchange, 0, all(exchange, op.operandCount()))
            .withOperands(rows)
            .withResultTypes(rows.type())
            .emitOne();
    ImmutableList.Builder<Value> results = ImmutableList.builder();
    for (int i = 0; i < op.operandCount(); i++) {
      results.add(op.reshape(op.slice(exchanged, i, i + 1), each.sizes()));
    }
    return results.build();
  }
}
