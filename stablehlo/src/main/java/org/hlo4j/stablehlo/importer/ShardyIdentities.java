package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.stablehlo.mlir.Attribute;

/**
 * The lowering of Shardy's ops that do not change the global array: they say or change only how it
 * is distributed over the devices, or how shardings propagate.
 */
final class ShardyIdentities {
  private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");

  private ShardyIdentities() {}

  static void addTo(Lowerings table) {
    table.one("sdy.reshard", op -> copy(op, "sharding"));
    for (String name : List.of("all_gather", "all_slice", "all_to_all", "collective_permute")) {
      table.one("sdy." + name, op -> copy(op, "out_sharding"));
    }
    Map.of(
            "all_reduce", "reduction_axes",
            "reduce_scatter", "reduce_scatter_axes",
            "replicated_to_unreduced", "axes",
            "sharded_to_unreduced", "axes")
        .forEach((name, axes) ->
            table
                .one("sdy." + name, op -> reduction(op, axes))
                .checkedBy(op -> meshes(op).sharding(sharding(op)))
                .onlyChecked()
                .inferring(op -> op.operand(0).shape()));
    table.one("sdy.data_flow_edge", ShardyIdentities::edge);
    table.one("sdy.func_data_flow_edge", ShardyIdentities::edge);
    table.one("sdy.propagation_barrier", ShardyIdentities::barrier);
    table.many("sdy.sharding_group", ShardyIdentities::group);
    table.many("sdy.named_computation", ShardyIdentities::named);
  }

  /** Lowers to a copy with another sharding, as XLA does. */
  private static HloInstruction copy(OpImport op, String sharding) {
    HloInstruction copy = op.emit(new Copy(), op.operand(0));
    return op.target()
        .replaceLast(
            copy.withSharding(Optional.of(meshes(op).sharding(op.fields().required(sharding)))));
  }

  private static Meshes meshes(OpImport op) {
    return op.target().module().meshes();
  }

  private static Attribute sharding(OpImport op) {
    return op.fields().required("out_sharding");
  }

  /**
   * Lowers an op that reduces over axes, or leaves a reduction over them to be done. The parts that
   * are reduced are those of the devices; the global array is their sum only if there is one.
   */
  private static HloInstruction reduction(OpImport op, String axes) {
    Attribute named = op.fields().required(axes);
    Mesh mesh = meshes(op).shardings(sharding(op)).get(0).mesh();
    Matcher quoted = QUOTED.matcher(named.toString());
    while (quoted.find()) {
      String name = quoted.group(1);
      int axis = mesh.names().indexOf(name);
      require(
          axis >= 0 && mesh.devices().tiles().get(axis) == 1,
          axis >= 0 ? UNSUPPORTED : PARSE,
          "%s got \"%s\" in %s, want axes of size 1: an array of several parts has no value here",
          axes,
          name,
          mesh);
    }
    return copy(op, "out_sharding");
  }

  private static HloInstruction edge(OpImport op) {
    return op.fields().has("sharding") ? copy(op, "sharding") : op.emit(new Copy(), op.operand(0));
  }

  /** Lowers to the custom call that XLA reads back as the same op. */
  private static HloInstruction barrier(OpImport op) {
    HloInstruction operand = op.operand(0);
    return guide(
        op,
        List.of(operand),
        operand.shape(),
        "xla.sdy.PropagationBarrier",
        Map.of("xla.sdy.allowed_direction", op.fields().int64("allowed_direction") + " : i32"));
  }

  private static ImmutableList<HloInstruction> group(OpImport op) {
    guide(
        op,
        List.of(op.operand(0)),
        Shape.tuple(),
        "xla.sdy.ShardingGroup",
        Map.of("xla.sdy.sharding_group_id", op.fields().int64("group_id") + " : i64"));
    return ImmutableList.of();
  }

  /** Emits a call that only tells the partitioner something. */
  static HloInstruction guide(
      OpImport op,
      List<HloInstruction> operands,
      Shape result,
      String target,
      Map<String, String> attributes) {
    CustomCall call = ShardyLowerings.withSideEffect(result, target);
    return op.emit(call, operands, List.of(), ShardyLowerings.frontend(attributes));
  }

  /** Lowers to a call of a computation of the same name. */
  private static ImmutableList<HloInstruction> named(OpImport op) {
    HloComputation body = op.region(0, op.fields().string("name"));
    HloInstruction call = op.emit(new Call(), op.operands(), List.of(body));
    return body.root().op() instanceof Tuple ? op.elements(call) : ImmutableList.of(call);
  }
}
