package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Aliasing;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.dialect.StructTable;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The conversion of custom calls. Operands that are tuples stay tuples, and so does a result that
 * is not a plain list of arrays.
 */
final class CustomCallExport {
  private CustomCallExport() {}

  static ImmutableList<Value> values(OpExport op, CustomCall call) {
    if (call.literal().isPresent() && !(call.literal().get().shape() instanceof Shape.Array)) {
      throw OpExport.unsupported("with a literal that is no array");
    }
    if (call.schedule() != CustomCall.Schedule.SCHEDULE_NONE) {
      throw OpExport.unsupported("with a schedule");
    }
    List<Value> operands = new ArrayList<>();
    for (int i = 0; i < op.operandCount(); i++) {
      operands.add(packed(op, op.shape(i), op.operand(i)));
    }
    Shape shape = op.instruction().shape();
    boolean several = isList(shape);
    ImmutableList<Value> results =
        op.newOperation("stablehlo.custom_call")
            .withOperands(operands)
            .withResultTypes(several ? op.types() : ImmutableList.of(ShapeTypes.of(shape)))
            .with("call_target_name", new Attribute.Str(call.customCallTarget()))
            .with("has_side_effect", call.customCallHasSideEffect())
            .with("api_version", version(call.apiVersion()))
            .with("backend_config", backendConfig(op, call))
            .with("called_computations", called(op))
            .with("operand_layouts", call.operandLayoutConstraints().map(CustomCallExport::layouts))
            .with(
                "result_layouts",
                call.operandLayoutConstraints().map(constrained -> layouts(laidOut(shape))))
            .with("output_operand_aliases", aliases(call))
            .with("mhlo.literal", call.literal().map(AttributeFactory::dense))
            .emit();
    return several ? results : unpacked(op, shape, results.get(0));
  }

  /** Returns the number of an API version, counted from 1. */
  private static Attribute version(CustomCall.ApiVersion version) {
    return Attribute.Int.i32(1 + List.of(CustomCall.ApiVersion.values()).indexOf(version));
  }

  /**
   * Returns whether a shape is represented by a list of results: a tuple of arrays or tokens, but
   * not of exactly one.
   */
  private static boolean isList(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        && tuple.elements().size() != 1
        && tuple.elements().stream().noneMatch(Shape.Tuple.class::isInstance);
  }

  /** Returns the parts of a result that have a layout each. */
  private static List<Shape> laidOut(Shape shape) {
    return shape instanceof Shape.Tuple tuple ? tuple.elements() : List.of(shape);
  }

  private static Value packed(OpExport op, Shape shape, List<Value> leaves) {
    if (!(shape instanceof Shape.Tuple tuple)) {
      return leaves.get(0);
    }
    List<Value> elements = new ArrayList<>();
    int at = 0;
    for (Shape element : tuple.elements()) {
      int count = ShapeTypes.count(element);
      elements.add(packed(op, element, leaves.subList(at, at + count)));
      at += count;
    }
    return op.newIntermediate("stablehlo.tuple")
        .withOperands(elements)
        .withResultTypes(ShapeTypes.of(shape))
        .emitOne();
  }

  private static ImmutableList<Value> unpacked(OpExport op, Shape shape, Value value) {
    if (!(shape instanceof Shape.Tuple tuple)) {
      return ImmutableList.of(value);
    }
    ImmutableList.Builder<Value> leaves = ImmutableList.builder();
    for (int i = 0; i < tuple.elements().size(); i++) {
      Shape element = tuple.elements().get(i);
      Value part =
          op.newIntermediate("stablehlo.get_tuple_element")
              .withOperands(value)
              .withResultTypes(ShapeTypes.of(element))
              .with("index", Attribute.Int.i32(i))
              .emitOne();
      leaves.addAll(unpacked(op, element, part));
    }
    return leaves.build();
  }

  /**
   * Returns the backend configuration: a string, or the dictionary that the string denotes if the
   * call takes a dictionary.
   */
  private static Optional<Attribute> backendConfig(OpExport op, CustomCall call) {
    String text = op.instruction().attributes().getOrDefault("backend_config", "");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    boolean quoted = text.length() > 1 && text.startsWith("\"");
    String config = quoted ? AttributeText.unescaped(text.substring(1, text.length() - 1)) : text;
    return Optional.of(
        call.apiVersion() == CustomCall.ApiVersion.API_VERSION_TYPED_FFI
            ? OpExport.dictionary(config)
                .orElseThrow(() ->
                    OpExport.unsupported(
                        "with a backend_config of the typed interface that is none"))
            : new Attribute.Str(config));
  }

  private static Attribute called(OpExport op) {
    return AttributeFactory.array(
        op.instruction().called().stream().map(op.block().module()::function).toList());
  }

  private static Attribute layouts(List<Shape> shapes) {
    return AttributeFactory.array(
        shapes.stream()
            .map(shape -> AttributeFactory.indices(ShapeTypes.layout(shape).minorToMajor()))
            .toList());
  }

  /**
   * Returns the aliases of a call. Those of Pin and Unpin, which return their operand's buffer, are
   * implied and left out.
   */
  private static Attribute aliases(CustomCall call) {
    String target = call.customCallTarget();
    boolean implied = target.equals(CustomCall.PIN) || target.equals(CustomCall.UNPIN);
    List<Aliasing> all = implied ? List.of() : call.outputToOperandAliasing();
    return AttributeFactory.array(all.stream().map(CustomCallExport::alias).toList());
  }

  private static Attribute alias(Aliasing alias) {
    return StructTable.struct(
        "output_operand_alias",
        java.util.Map.of(
            "output_tuple_indices", AttributeFactory.ints(alias.output()),
            "operand_index", Attribute.Int.i64(alias.operand()),
            "operand_tuple_indices", AttributeFactory.ints(alias.operandIndex())));
  }
}
