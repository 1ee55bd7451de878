package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Aliasing;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Operation;

/** The lowering of custom calls. Some targets are ops of HLO that StableHLO lacks. */
final class CustomCalls {
  private CustomCalls() {}

  /** Requires what the types of a call have to be; it may be one that is lowered to an op. */
  static void check(OpImport op) {
    if (ShapeOperands.isIn(op)) {
      ShapeOperands.check(op);
    }
    String target = target(op);
    if (isElementwise(target)) {
      ElementwiseLowerings.check(op);
    }
    if (!isOp(target) && !CheckLowerings.isCheck(target)) {
      CustomCallRules.check(op, target, CallConfig.of(op.fields()));
      op.fields().array("called_computations").forEach(symbol -> callee(op, symbol));
    }
  }

  private static Operation callee(OpImport op, Attribute symbol) {
    return op.target().module().callee(((Attribute.Symbol) symbol).name(), op.operation());
  }

  /** Returns whether the results follow from values of operands, or HLO has no such call. */
  static boolean isOnlyChecked(OpImport op) {
    String target = target(op);
    return ShapeOperands.isIn(op)
        || target.equals("ApproxTopK")
        || DynamicLowerings.isDynamic(target)
        || (isElementwise(target) && ElementwiseLowerings.isComplexRemainder(op, kind(target)))
        || (!isOp(target) && op.fields().has("result_tilings"));
  }

  private static String target(OpImport op) {
    return op.fields().string("call_target_name");
  }

  private static Elementwise.Kind kind(String target) {
    return ElementwiseLowerings.kind(target.substring("mhlo.".length()));
  }

  static ImmutableList<HloInstruction> lower(OpImport op) {
    return lowered(ShapeOperands.isIn(op) ? ShapeOperands.removed(op) : op);
  }

  /** Returns whether a target is an op of HLO or of StableHLO, which is lowered like one. */
  static boolean isOp(String target) {
    return target.equals("mhlo.topk")
        || target.equals("ApproxTopK")
        || target.equals("ragged_all_to_all")
        || isElementwise(target)
        || DynamicLowerings.isDynamic(target);
  }

  private static boolean isElementwise(String target) {
    return target.startsWith("mhlo.")
        && ElementwiseLowerings.isKind(target.substring("mhlo.".length()));
  }

  private static ImmutableList<HloInstruction> lowered(OpImport op) {
    String target = target(op);
    if (target.equals("mhlo.topk")) {
      return topk(op);
    }
    if (target.equals("ApproxTopK")) {
      return ApproxTopKs.lower(op);
    }
    if (isElementwise(target)) {
      return ImmutableList.of(ElementwiseLowerings.elementwise(op, kind(target)));
    }
    if (target.equals("ragged_all_to_all")) {
      return ImmutableList.of(CollectiveLowerings.raggedAllToAll(op));
    }
    if (DynamicLowerings.isDynamic(target)) {
      return DynamicLowerings.customCall(op, target);
    }
    return CheckLowerings.isCheck(target)
        ? CheckLowerings.customCall(op, target)
        : custom(op, target);
  }

  /** Lowers {@code mhlo.topk}, whose attributes are in {@code mhlo.attributes} if it is called. */
  static ImmutableList<HloInstruction> topk(OpImport op) {
    Fields attributes =
        op.fields()
            .find("mhlo.attributes", Attribute.Dictionary.class)
            .map(dictionary -> new Fields(dictionary.entries()))
            .orElse(op.fields());
    boolean largest = attributes.int64("largest", 1) != 0;
    return op.elements(op.emit(new Topk(attributes.int64("k"), largest), op.operands(), List.of()));
  }

  private static ImmutableList<HloInstruction> custom(OpImport op, String target) {
    Shape shape = op.resultShape();
    CallConfig config = CallConfig.of(op.fields());
    require(
        op.fields().array("result_tilings").isEmpty(),
        HloException.Kind.UNSUPPORTED,
        "result_tilings got %s, want none",
        op.fields().entries().get("result_tilings"));
    CustomCall call =
        new CustomCall(
            withResultLayouts(op, shape),
            target,
            operandLayouts(op),
            op.fields().bool("has_side_effect"),
            literal(op),
            aliases(op, target),
            CustomCall.Schedule.SCHEDULE_NONE,
            config.version());
    Map<String, String> text =
        config.text().map(value -> Map.of("backend_config", value)).orElse(Map.of());
    HloInstruction result = op.emit(call, op.operands(), calledComputations(op), text);
    return op.results(result);
  }

  /** Returns the literal that XLA prints for a custom call, if it has one. */
  private static Optional<Literal> literal(OpImport op) {
    return op.fields()
        .find("mhlo.literal", Attribute.Dense.class)
        .map(dense ->
            dense.isSplat()
                ? dense.elements().repeated(Dims.copyOf(dense.type().sizes()))
                : dense.elements().withShape(Shapes.array(dense.type())));
  }

  static List<HloComputation> calledComputations(OpImport op) {
    return op.fields().array("called_computations").stream()
        .map(symbol ->
            op.target().module().declared(((Attribute.Symbol) symbol).name(), op.operation()))
        .toList();
  }

  private static Optional<ImmutableList<Shape>> operandLayouts(OpImport op) {
    return op.fields().has("operand_layouts")
        ? Optional.of(laidOut(op, "operand", op.operandShapes()))
        : Optional.empty();
  }

  private static Shape withResultLayouts(OpImport op, Shape shape) {
    ImmutableList<Attribute> layouts = op.fields().array("result_layouts");
    if (layouts.isEmpty()) {
      return shape;
    }
    return shape instanceof Shape.Tuple tuple
        ? new Shape.Tuple(laidOut(op, "result", tuple.elements()))
        : withLayout(shape, layouts.get(0));
  }

  private static ImmutableList<Shape> laidOut(OpImport op, String what, List<Shape> shapes) {
    ImmutableList<Attribute> layouts = op.fields().array(what + "_layouts");
    return IntStream.range(0, shapes.size())
        .mapToObj(i -> withLayout(shapes.get(i), layouts.get(i)))
        .collect(toImmutableList());
  }

  /** Returns a shape with a layout: the order of its dimensions from the fastest varying one on. */
  private static Shape withLayout(Shape shape, Attribute order) {
    if (shape instanceof Shape.Buffer buffer) {
      return new Shape.Buffer((Shape.Array) withLayout(buffer.array(), order));
    }
    if (!(order instanceof Attribute.Dense dense) || dense.type().rank() != 1) {
      return shape;
    }
    return withLayout(shape, Dims.of(Fields.numbers("layout", dense)));
  }

  /** Returns an array shape with a layout, and any other shape unchanged. */
  static Shape withLayout(Shape shape, Dims minorToMajor) {
    if (!(shape instanceof Shape.Array array)) {
      return shape;
    }
    require(
        minorToMajor.isPermutation() && minorToMajor.count() == array.rank(),
        HloException.Kind.VERIFY,
        "layout got %s, want a permutation of the dimensions of %s",
        minorToMajor,
        array);
    return array.withLayout(new Layout(minorToMajor, ""));
  }

  /**
   * Returns the aliases of a call, including those of Pin and Unpin, which StableHLO leaves
   * implicit.
   */
  private static ImmutableList<Aliasing> aliases(OpImport op, String target) {
    if (target.equals(CustomCall.PIN) || target.equals(CustomCall.UNPIN)) {
      return ImmutableList.of(new Aliasing(Dims.of(), 0, Dims.of()));
    }
    return CustomCallRules.aliases(op).stream()
        .map(alias ->
            new Aliasing(
                alias.ints("output_tuple_indices"),
                alias.int32("operand_index", 0),
                alias.ints("operand_tuple_indices")))
        .collect(toImmutableList());
  }
}
