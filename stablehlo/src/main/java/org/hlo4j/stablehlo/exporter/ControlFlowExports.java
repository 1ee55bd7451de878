package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AllGatherDone;
import org.hlo4j.hlo.op.AllReduceDone;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.CollectivePermuteDone;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.dialect.RecordBinding;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The conversion of calls, loops, branches, tuples, tokens and copies to StableHLO. An asynchronous
 * op is executed where it is started.
 */
final class ControlFlowExports {
  private ControlFlowExports() {}

  static ImmutableList<Value> values(OpExport op, ForwardingOp forwarding) {
    return switch (forwarding) {
      case AddDependency _ -> addDependency(op);
      case AfterAll _ ->
          op.operandCount() == 0 ? op.emitOperation("stablehlo.create_token") : op.mirrored();
      case AllGatherDone _,
          AllReduceDone _,
          AsyncDone _,
          AsyncUpdate _,
          CollectivePermuteDone _,
          CopyDone _,
          CopyStart _,
          Domain _ ->
          op.operand(0);
      case AsyncStart _ -> call(op, op.called(0).root().shape());
      case Call call when call.isComposite() -> composite(op);
      case Call _, Fusion _ -> call(op, op.instruction().shape());
      case Conditional conditional -> conditional(op, conditional);
      case Constant constant -> constant(op, constant.literal());
      case Copy _ -> copy(op);
      case GetTupleElement element ->
          op.block().element(op.instruction().operands().get(0), element.index());
      case Infeed infeed ->
          op.newOperation("stablehlo.infeed")
              .with("infeed_config", text(infeed.infeedConfig()))
              .with("layout", layout(op.instruction().shape()))
              .emit();
      case OptBarrier _ -> op.operands().isEmpty() ? ImmutableList.of() : op.mirrored();
      case Outfeed outfeed -> outfeed(op, outfeed);
      case Parameter _ ->
          throw new IllegalStateException("a parameter is known before its computation is run");
      case RecvDone _, SendDone _ -> done(op);
      case Send send -> send(op, send);
      case Tuple _ -> tuple(op);
      case Reshape _, While _ -> op.mirrored();
    };
  }

  private static Attribute text(String value) {
    return new Attribute.Str(value);
  }

  /**
   * Returns the operand itself. If the copy changes the sharding, returns XLA's custom call for
   * this.
   */
  private static ImmutableList<Value> copy(OpExport op) {
    boolean isSharded =
        op.instruction().sharding().isPresent() && op.shape(0) instanceof Shape.Array;
    return isSharded
        ? op.newOperation("stablehlo.custom_call").with("call_target_name", text("Sharding")).emit()
        : op.operand(0);
  }

  /**
   * Returns the value behind an optimization barrier, so that it is available only after the token.
   */
  private static ImmutableList<Value> addDependency(OpExport op) {
    ImmutableList<Value> operands = op.operands();
    return op.newIntermediate("stablehlo.optimization_barrier")
        .withOperands(operands)
        .withResultTypes(Value.types(operands))
        .emit()
        .subList(0, op.operand(0).size());
  }

  private static ImmutableList<Value> call(OpExport op, Shape result) {
    return op.newOperation("func.call")
        .withResultTypes(ShapeTypes.leaves(result))
        .with("callee", op.block().module().function(op.called(0)))
        .emit();
  }

  private static ImmutableList<Value> composite(OpExport op) {
    ImmutableMap<String, String> all = Annotations.frontend(op.instruction().attributes());
    Map<String, String> others = new TreeMap<>(all);
    others.keySet().removeIf(name -> name.startsWith("composite."));
    return op.newOperation("stablehlo.composite")
        .with("name", text(all.getOrDefault("composite.name", "")))
        .with("decomposition", op.block().module().function(op.called(0)))
        .with(
            "composite_attributes",
            Optional.ofNullable(all.get("composite.attributes"))
                .map(ControlFlowExports::dictionary))
        .with("version", version(all.getOrDefault("composite.version", "0")))
        .with(
            "mhlo.frontend_attributes",
            others.isEmpty() ? Optional.empty() : Optional.of(Annotations.dictionary(others)))
        .emit();
  }

  private static Attribute version(String text) {
    require(text.matches("[0-9]{1,9}"), "", "composite.version got %s, want a number", text);
    return Attribute.Int.i32(Integer.parseInt(text));
  }

  private static Attribute dictionary(String text) {
    return OpExport.dictionary(text)
        .orElseThrow(() ->
            new HloException(
                "", "composite.attributes got " + text + ", want {name = value, ...}"));
  }

  /** Converts a conditional. The branches capture the values of their parameters. */
  private static ImmutableList<Value> conditional(OpExport op, Conditional conditional) {
    boolean two = conditional.indexType() == ElementType.PRED;
    OperationBuilder branches =
        op.newOperation(two ? "stablehlo.if" : "stablehlo.case").withOperands(op.value(0));
    for (int i = 0; i < op.instruction().called().size(); i++) {
      branches.with(
          op.block()
              .module()
              .branch(op.called(i), ImmutableList.of(op.operand(i + 1)), op.block().depth() + 1));
    }
    return branches.emit();
  }

  private static ImmutableList<Value> constant(OpExport op, Literal literal) {
    require(!literal.isElided(), UNSUPPORTED, "its elements are left out");
    if (literal.shape() instanceof Shape.Tuple) {
      ImmutableList.Builder<Value> leaves = ImmutableList.builder();
      literal.elements().forEach(element -> leaves.addAll(constant(op, element)));
      return leaves.build();
    }
    if (literal.shape() instanceof Shape.Token) {
      return op.newIntermediate("stablehlo.create_token")
          .withResultTypes(ShapeTypes.leaves(Shape.token()))
          .emit();
    }
    boolean whole = !(op.instruction().shape() instanceof Shape.Tuple);
    Attribute.Dense value = AttributeFactory.dense(literal);
    return op.newIntermediate("stablehlo.constant")
        .withResultTypes(value.type())
        .with(whole ? Annotations.of(op.instruction()) : ImmutableMap.of())
        .with("value", value)
        .emit();
  }

  /** Returns the order of the dimensions of each array; empty if there are no layouts. */
  private static Optional<Attribute> layout(Shape shape) {
    ImmutableList<Shape.Array> arrays = arrays(shape);
    return arrays.stream().allMatch(array -> array.layout().isEmpty())
        ? Optional.empty()
        : Optional.of(
            AttributeFactory.array(
                arrays.stream()
                    .map(array ->
                        AttributeFactory.array(
                            ShapeTypes.layout(array).minorToMajor().stream()
                                .mapToObj(Attribute.Int::i64)
                                .toList()))
                    .toList()));
  }

  private static ImmutableList<Shape.Array> arrays(Shape shape) {
    return Sharding.leaves(shape).stream()
        .filter(Shape.Array.class::isInstance)
        .map(Shape.Array.class::cast)
        .collect(toImmutableList());
  }

  private static ImmutableList<Value> outfeed(OpExport op, Outfeed outfeed) {
    if (!arrays(outfeed.outfeedShape()).stream().allMatch(ShapeTypes::isRowMajor)) {
      throw OpExport.unsupported("with a layout of outfeed_shape");
    }
    return op.mirrored();
  }

  private static ImmutableList<Value> tuple(OpExport op) {
    if (!op.instruction().operands().stream().allMatch(op.block()::hasAllLeaves)) {
      throw OpExport.unsupported("of what is not done");
    }
    return op.operands();
  }

  /** Returns the result of the send or recv, which has to be started in the same block. */
  private static ImmutableList<Value> done(OpExport op) {
    Op begun = op.instruction().operands().get(0).op();
    if (!(begun instanceof Send || begun instanceof Recv)) {
      throw OpExport.unsupported("of what is begun elsewhere");
    }
    return op.operand(0);
  }

  /** Converts a send, whose result is the token of its {@link SendDone}. */
  private static ImmutableList<Value> send(OpExport op, Send send) {
    return op.newOperation("stablehlo.send")
        .withResultTypes(ShapeTypes.leaves(Shape.token()))
        .with(
            "channel_handle",
            RecordBinding.channel(send.channelId().orElse(0L), send.isHostTransfer() ? 2 : 1))
        .with("is_host_transfer", send.isHostTransfer())
        .emit();
  }
}
