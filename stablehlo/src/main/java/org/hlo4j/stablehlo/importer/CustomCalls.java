package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
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
import org.hlo4j.stablehlo.mlir.Type;

/** The lowering of custom calls. Some targets are ops of HLO that StableHLO lacks. */
final class CustomCalls {
  private CustomCalls() {}

  /** The lowering of calls of targets that stand for no op. */
  private static final Lowering PLAIN =
      new Lowering(CustomCalls::plain)
          .checkedBy(CustomCalls::checkPlain)
          .onlyCheckedIf(op -> op.fields().has("result_tilings") || isReserved(target(op)));

  static void addTo(Lowerings table) {
    table
        .many("stablehlo.custom_call", CustomCalls::lower)
        .checkedBy(CustomCalls::checkShapeOperands)
        .onlyCheckedIf(ShapeOperands::isIn);
    table.many(Lowerings.call("mhlo.topk"), CustomCalls::topk);
    table.many(Lowerings.call("ApproxTopK"), ApproxTopKs::lower).onlyChecked();
    table.one(Lowerings.call("ragged_all_to_all"), CollectiveLowerings::raggedAllToAll);
    ElementwiseLowerings.KINDS.forEach((name, kind) ->
        ElementwiseLowerings.add(table, Lowerings.call("mhlo." + name), new Elementwise(kind)));
  }

  /** Requires of a call whose operands hold the sizes of its results what others require, too. */
  private static void checkShapeOperands(OpImport op) {
    if (ShapeOperands.isIn(op)) {
      ShapeOperands.check(op);
      if (op.target().module().isVerifying()) { // else when the sizes are known, see lower
        lowering(op).check(op);
      }
    }
  }

  private static Lowering lowering(OpImport op) {
    return Lowerings.find(Lowerings.call(target(op))).orElse(PLAIN);
  }

  private static ImmutableList<HloInstruction> lower(OpImport op) {
    OpImport call = ShapeOperands.isIn(op) ? ShapeOperands.removed(op) : op;
    return lowering(call).lower(call);
  }

  private static void checkPlain(OpImport op) {
    require(
        !CheckLowerings.isCheck(target(op)),
        UNSUPPORTED,
        "call_target_name got %s, want one of %s",
        target(op),
        Lowerings.targets("check."));
    op.inferred(call(op));
    ImmutableList<Type> results = op.operation().resultTypes();
    Type whole = results.size() == 1 ? results.get(0) : new Type.Tuple(results);
    for (Aliasing alias : aliases(op)) {
      Type output = part(whole, alias.output());
      Type operand = part(op.operation().operandTypes().get(alias.operand()), alias.operandIndex());
      verify(
          areSame(op, output, operand)
              || output instanceof Type.MemRef != operand instanceof Type.MemRef,
          "output_operand_aliases %s got %s and %s, want the same type",
          alias,
          output,
          operand);
    }
    op.fields()
        .symbols("called_computations")
        .forEach(symbol -> op.target().module().callee(symbol.name(), op.operation()));
  }

  /** Sizes may be known of one of them only when they follow from those of the arguments. */
  private static boolean areSame(OpImport op, Type output, Type operand) {
    return op.target().module().isVerifying()
        ? output.equals(operand)
        : Shapes.areCompatible(output, operand);
  }

  private static Type part(Type whole, Dims index) {
    Type part = whole;
    for (int i = 0; i < index.count(); i++) {
      part = ((Type.Tuple) part).elements().get(index.getInt(i));
    }
    return part;
  }

  /** Returns whether a target is of an op of StableHLO. */
  private static boolean isReserved(String target) {
    return target.startsWith("stablehlo.dynamic_");
  }

  private static String target(OpImport op) {
    return op.fields().string("call_target_name");
  }

  /** Returns whether a target is an op of HLO or of StableHLO, which is lowered like one. */
  static boolean isOp(String target) {
    return Lowerings.find(Lowerings.call(target)).isPresent();
  }

  /** Lowers {@code mhlo.topk}, whose attributes are in {@code mhlo.attributes} if it is called. */
  static ImmutableList<HloInstruction> topk(OpImport op) {
    Fields attributes = op.fields().dictionary("mhlo.attributes").orElse(op.fields());
    boolean largest = attributes.int64("largest", 1) != 0;
    return op.elements(op.emit(new Topk(attributes.int64("k"), largest), op.operands(), List.of()));
  }

  private static ImmutableList<HloInstruction> plain(OpImport op) {
    String target = target(op);
    require(
        !isReserved(target),
        UNSUPPORTED,
        "call_target_name got %s, want one of %s",
        target,
        Lowerings.targets("stablehlo."));
    require(
        op.fields().array("result_tilings").isEmpty(),
        UNSUPPORTED,
        "result_tilings got %s, want none",
        op.fields().entries().get("result_tilings"));
    Map<String, String> text =
        CallConfig.of(op.fields())
            .text()
            .map(value -> Map.of("backend_config", value))
            .orElse(Map.of());
    return op.results(op.emit(call(op), op.operands(), calledComputations(op), text));
  }

  private static CustomCall call(OpImport op) {
    CallConfig config = CallConfig.of(op.fields());
    config.requireForm();
    boolean hasLayouts = op.fields().has("operand_layouts");
    verify(
        hasLayouts == op.fields().has("result_layouts"),
        "%s got none, want layouts of operands and results, or of neither",
        hasLayouts ? "result_layouts" : "operand_layouts");
    Optional<ImmutableList<Shape>> operands =
        hasLayouts
            ? Optional.of(laidOut(op, "operand_layouts", op.operandShapes()))
            : Optional.empty();
    Shape shape = op.resultShape();
    CustomCall call =
        new CustomCall(
            hasLayouts ? laidOut(op, shape) : shape,
            target(op),
            operands,
            op.fields().bool("has_side_effect"),
            literal(op),
            aliases(op),
            CustomCall.Schedule.SCHEDULE_NONE,
            config.version());
    call.checkBuffers(op.operandShapes(), call.shape());
    return call;
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
    return op.fields().symbols("called_computations").stream()
        .map(symbol -> op.target().module().declared(symbol.name(), op.operation()))
        .toList();
  }

  /** Returns the result with its layout, or those of its elements. */
  private static Shape laidOut(OpImport op, Shape result) {
    return result instanceof Shape.Tuple tuple
        ? new Shape.Tuple(laidOut(op, "result_layouts", tuple.elements()))
        : laidOut(op, "result_layouts", ImmutableList.of(result)).get(0);
  }

  private static ImmutableList<Shape> laidOut(
      OpImport op, String attribute, ImmutableList<Shape> shapes) {
    ImmutableList<Attribute> layouts = op.fields().array(attribute);
    verify(
        layouts.size() == shapes.size(),
        "%s got %s, want one for each of %s values",
        attribute,
        layouts.size(),
        shapes.size());
    return IntStream.range(0, shapes.size())
        .mapToObj(i -> withLayout(attribute, shapes.get(i), layouts.get(i)))
        .collect(toImmutableList());
  }

  /** Returns a shape with a layout: the order of its dimensions from the fastest varying one on. */
  private static Shape withLayout(String attribute, Shape shape, Attribute order) {
    if (shape instanceof Shape.Buffer buffer) {
      return new Shape.Buffer((Shape.Array) withLayout(attribute, buffer.array(), order));
    }
    verify(!(shape instanceof Shape.Tuple), "%s got one for %s, want no tuples", attribute, shape);
    long rank = shape instanceof Shape.Array array ? array.rank() : 0;
    verify(
        order instanceof Attribute.Dense dense && dense.type().sizes().equals(List.of(rank)),
        "%s got %s for %s, want %s dimensions",
        attribute,
        order,
        shape,
        rank);
    return withLayout(shape, Dims.of(Fields.numbers("layout", (Attribute.Dense) order)));
  }

  /** Returns an array shape with a layout, and any other shape unchanged. */
  static Shape withLayout(Shape shape, Dims minorToMajor) {
    if (!(shape instanceof Shape.Array array)) {
      return shape;
    }
    verify(
        minorToMajor.isPermutation() && minorToMajor.count() == array.rank(),
        "layout got %s, want a permutation of the dimensions of %s",
        minorToMajor,
        array);
    return array.withLayout(new Layout(minorToMajor, ""));
  }

  /**
   * Returns the aliases of a call, including those of Pin and Unpin, which StableHLO leaves
   * implicit.
   */
  private static ImmutableList<Aliasing> aliases(OpImport op) {
    String target = target(op);
    if (target.equals(CustomCall.PIN) || target.equals(CustomCall.UNPIN)) {
      return ImmutableList.of(new Aliasing(Dims.of(), 0, Dims.of()));
    }
    return op.fields().structs("output_operand_aliases").stream()
        .map(alias ->
            new Aliasing(
                alias.ints("output_tuple_indices"),
                alias.int32("operand_index", 0),
                alias.ints("operand_tuple_indices")))
        .collect(toImmutableList());
  }
}
