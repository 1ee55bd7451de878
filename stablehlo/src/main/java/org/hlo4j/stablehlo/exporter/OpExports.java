package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.HigherOrder;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Routine;
import org.hlo4j.hlo.op.Sizing;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The mapping of HLO ops to StableHLO. The switch is exhaustive, so that a new op does not compile
 * before its mapping is decided.
 */
final class OpExports {
  private OpExports() {}

  /** Returns the leaves of the result of an instruction. */
  static ImmutableList<Value> values(OpExport op) {
    return switch (op.instruction().op()) {
      case Reshape _ -> op.mirrored();
      case Pointwise pointwise -> ElementwiseExports.values(op, pointwise);
      case Movement movement -> MovementExports.values(op, movement);
      case Contraction contraction -> ProductExports.values(op, contraction);
      case Topk topk -> topk(op, topk);
      case Routine _ -> op.mirrored();
      case HigherOrder higherOrder -> RegionExports.values(op, higherOrder);
      case Collective collective ->
          CollectiveExports.values(op, collective, op.instruction().shape());
      case CollectiveStart start -> CollectiveExports.started(op, start.collective());
      case External external -> ExternalExports.values(op, external);
      case ForwardingOp forwarding -> ControlFlowExports.values(op, forwarding);
      case DynamicReshape reshape -> reshape(op, reshape);
      case Sizing _ -> op.mirrored();
    };
  }

  /** Converts a top-k; CHLO's op selects the largest elements only. */
  private static ImmutableList<Value> topk(OpExport op, Topk topk) {
    return topk.largest()
        ? op.mirrored()
        : op.newOperation("stablehlo.custom_call")
            .with(
                ChloLegalization.customCall(
                    "mhlo.topk",
                    ImmutableMap.of(
                        "k", Attribute.Int.i64(topk.k()), "largest", Attribute.Int.bool(false))))
            .emit();
  }

  /** Converts a dynamic reshape, which takes all sizes as one operand. */
  private static ImmutableList<Value> reshape(OpExport op, DynamicReshape reshape) {
    return op.newOperation("stablehlo.dynamic_reshape")
        .withOperands(op.value(0), sizes(op, reshape.shape().rank()))
        .emit();
  }

  private static Value sizes(OpExport op, int rank) {
    if (rank == 0) {
      Literal none = new LiteralBuilder(Shape.of(ElementType.S32, 0)).build();
      return op.constant(AttributeFactory.dense(none));
    }
    return op.newIntermediate("stablehlo.concatenate")
        .withOperands(
            op.operands().subList(1, rank + 1).stream()
                .map(size -> op.reshape(size, List.of(1L)))
                .toList())
        .withResultTypes(Type.Tensor.of(Types.I32, List.of((long) rank)))
        .with("dimension", 0)
        .emitOne();
  }
}
