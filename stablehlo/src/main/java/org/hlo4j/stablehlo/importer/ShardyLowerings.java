package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Value;
import org.jspecify.annotations.Nullable;

/** The lowering of Shardy's ops to the custom calls that XLA uses for them. */
final class ShardyLowerings {
  private ShardyLowerings() {}

  static void addTo(Lowerings table) {
    table.one("sdy.sharding_constraint", ShardyLowerings::constraint);
    table.many("sdy.manual_computation", ShardyLowerings::manual);
    ShardyIdentities.addTo(table);
  }

  private static HloInstruction constraint(OpImport op) {
    HloInstruction operand = op.operand(0);
    Attribute sharding = op.fields().required("sharding");
    HloInstruction call =
        op.emit(
            new CustomCall(operand.shape(), "Sharding"),
            List.of(operand),
            List.of(),
            perValue(sharding));
    Sharding tiles = op.target().module().meshes().sharding(sharding);
    return op.target().replaceLast(call.withSharding(Optional.of(tiles)));
  }

  /** Returns the frontend attributes of a call that marks one value with a sharding. */
  static Map<String, String> perValue(Attribute sharding) {
    String body = sharding.toString().replaceFirst("#sdy.sharding<", "<");
    return frontend(Map.of("xla.sdy.sharding", "#sdy.sharding_per_value<[" + body + "]>"));
  }

  static Map<String, String> frontend(Map<String, String> attributes) {
    return Map.of("frontend_attributes", AttributeText.frontendAttributes(attributes));
  }

  /**
   * Lowers a manual computation: a conversion from global to local arrays, a call of the body, and
   * a conversion back.
   */
  private static ImmutableList<HloInstruction> manual(OpImport op) {
    Block block = op.block(0);
    ImmutableList<Shape> whole =
        op.operands().stream().map(HloInstruction::shape).collect(toImmutableList());
    ImmutableList<Shape> local =
        ManualShapes.of(op, "in_shardings").local(op, Value.types(block.arguments()), whole);
    HloInstruction locals =
        ShardyIdentities.guide(
            op,
            op.operands(),
            Shapes.joined(local),
            "xla.sdy.GlobalToLocalShape",
            shardings(op, "in_shardings"));
    List<HloInstruction> arguments =
        block.arguments().size() == 1 ? List.of(locals) : op.elements(locals);
    HloComputation body =
        op.target()
            .region(
                op.operation(), block, "xla.sdy.manual_computation_body", local, known(op, local));
    HloInstruction call =
        op.emit(new Call(), arguments, List.of(body), frontend(Map.of("inlineable", "false")));
    List<HloInstruction> results =
        body.root().op() instanceof Tuple ? op.elements(call) : List.of(call);
    ImmutableList<Shape> global =
        ManualShapes.of(op, "out_shardings")
            .whole(
                op,
                op.operation().resultTypes(),
                results.stream().map(HloInstruction::shape).toList());
    HloInstruction globals =
        ShardyIdentities.guide(
            op,
            results,
            Shapes.joined(global),
            "xla.sdy.LocalToGlobalShape",
            shardings(op, "out_shardings"));
    return op.results(globals);
  }

  private static Map<String, String> shardings(OpImport op, String name) {
    return Map.of(
        "xla.sdy." + name,
        op.fields().required(name).toString(),
        "xla.sdy.manual_axes",
        op.fields().required("manual_axes").toString());
  }

  /** Returns the values that are known of the operands, which all devices have as a whole. */
  private static List<long @Nullable []> known(OpImport op, List<Shape> local) {
    return IntStream.range(0, local.size())
        .<long @Nullable []>mapToObj(
            i -> local.get(i).equals(op.operand(i).shape()) ? op.known(op.operand(i)) : null)
        .toList();
  }

  static CustomCall withSideEffect(Shape shape, String target) {
    return new CustomCall(
        shape,
        target,
        Optional.empty(),
        true,
        Optional.empty(),
        ImmutableList.of(),
        CustomCall.Schedule.SCHEDULE_NONE,
        CustomCall.ApiVersion.API_VERSION_ORIGINAL);
  }
}
