package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.MlirText;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpPrinter;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.OpSyntax;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The custom text forms of calls, of returns, and of ops that select an element or the largest
 * elements.
 */
final class CallSyntax {
  static final ImmutableMap<String, OpSyntax> ALL =
      ImmutableMap.<String, OpSyntax>builder()
          .put("func.call", ProductSyntax.of(CallSyntax::call, CallSyntax::printCall))
          .put(
              "stablehlo.custom_call",
              ProductSyntax.of(CallSyntax::customCall, CallSyntax::printCustomCall))
          .put(
              "stablehlo.composite",
              ProductSyntax.of(CallSyntax::composite, CallSyntax::printComposite))
          .put("func.return", ProductSyntax.of(CallSyntax::end, CallSyntax::printEnd))
          .put("stablehlo.return", ProductSyntax.of(CallSyntax::end, CallSyntax::printEnd))
          .put(
              "stablehlo.get_tuple_element",
              ProductSyntax.of(CallSyntax::element, CallSyntax::printElement))
          .put("chlo.top_k", ProductSyntax.of(CallSyntax::topK, CallSyntax::printTopK))
          .put("mhlo.topk", ProductSyntax.read(CallSyntax::topK))
          .buildOrThrow();

  private CallSyntax() {}

  private static void function(OpParser parser, List<OpParser.Use> uses, OpState state) {
    parser.optionalAttributes(state.attributes());
    parser.expect(":");
    TypeSignatureForm.FUNCTION.parse(parser, uses, state);
  }

  private static void printFunction(OpPrinter printer, Operation op, String... shown) {
    printer.attributes(op.attributes().without(List.of(shown)));
    printer.text(" : ");
    TypeSignatureForm.FUNCTION.print(printer, op);
  }

  private static void call(OpParser parser, OpState state) {
    state.attributes().put("callee", Attribute.Symbol.of(parser.symbol()));
    function(parser, parser.usesInParentheses(), state);
  }

  private static boolean printCall(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("callee") instanceof Attribute.Symbol callee)) {
      return false;
    }
    printer.text(" " + callee + "(").operands(op.operands()).text(")");
    printFunction(printer, op, "callee");
    return true;
  }

  private static void customCall(OpParser parser, OpState state) {
    state.attributes().put("call_target_name", new Attribute.Str(parser.symbol()));
    function(parser, parser.usesInParentheses(), state);
  }

  private static boolean printCustomCall(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("call_target_name") instanceof Attribute.Str target)) {
      return false;
    }
    printer.text(" @" + MlirText.bareOrQuoted(target.value()) + "(");
    printer.operands(op.operands()).text(")");
    printFunction(printer, op, "call_target_name");
    return true;
  }

  private static void composite(OpParser parser, OpState state) {
    state.attributes().put("name", new Attribute.Str(parser.string()));
    List<OpParser.Use> uses = parser.uses();
    if (parser.eat("(")) {
      do {
        state.regions().add(parser.region(List.of(), false));
      } while (parser.eat(","));
      parser.expect(")");
    }
    function(parser, uses, state);
  }

  private static boolean printComposite(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("name") instanceof Attribute.Str name) || !op.regions().isEmpty()) {
      return false;
    }
    printer.text(" " + name);
    if (!op.operands().isEmpty()) {
      printer.text(" ").operands(op.operands());
    }
    printFunction(printer, op, "name");
    return true;
  }

  static void end(OpParser parser, OpState state) {
    List<OpParser.Use> uses = parser.uses();
    parser.optionalAttributes(state.attributes());
    if (!uses.isEmpty()) {
      parser.expect(":");
      parser.resolve(uses, parser.typeList(), state);
    }
  }

  static boolean printEnd(OpPrinter printer, Operation op) {
    if (!op.operands().isEmpty()) {
      printer.text(" ").operands(op.operands());
    }
    printer.attributes(op.attributes());
    if (!op.operands().isEmpty()) {
      printer.text(
          " : " + String.join(", ", op.operandTypes().stream().map(Type::toString).toList()));
    }
    return true;
  }

  private static void element(OpParser parser, OpState state) {
    List<OpParser.Use> uses = List.of(parser.use());
    parser.expect("[");
    state.attributes().put("index", Attribute.Int.i32(parser.integer()));
    parser.expect("]");
    function(parser, uses, state);
  }

  private static boolean printElement(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("index") instanceof Attribute.Int index)) {
      return false;
    }
    printer.text(" ").operands(op.operands()).text("[" + index.value() + "]");
    printFunction(printer, op, "index");
    return true;
  }

  private static void topK(OpParser parser, OpState state) {
    parser.expect("(");
    List<OpParser.Use> uses = List.of(parser.use());
    parser.expect(",");
    parser.expect("k");
    parser.expect("=");
    state.attributes().put("k", Attribute.Int.i64(parser.integer()));
    if (state.name().equals("mhlo.topk") && parser.eat(",")) {
      parser.expect("largest");
      parser.expect("=");
      state.attributes().put("largest", parser.attribute());
    }
    parser.expect(")");
    parser.optionalAttributes(state.attributes());
    parser.expect(":");
    TypeSignatureForm.ARROW.parse(parser, uses, state);
  }

  private static boolean printTopK(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("k") instanceof Attribute.Int k)) {
      return false;
    }
    printer.text("(").operands(op.operands()).text(", k = " + k.value() + ")");
    printer.attributes(op.attributes().without(List.of("k")));
    printer.text(" : " + op.operandTypes().get(0) + " -> (");
    printer.text(String.join(", ", op.resultTypes().stream().map(Type::toString).toList()));
    printer.text(")");
    return true;
  }
}
