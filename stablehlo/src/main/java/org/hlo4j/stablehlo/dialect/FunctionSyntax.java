package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.MlirText;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpPrinter;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.OpSyntax;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/** The custom text form of functions. */
final class FunctionSyntax {
  static final OpSyntax FUNCTION =
      OpSyntax.of(FunctionSyntax::function, FunctionSyntax::printFunction);

  /** The attributes that have a place of their own. */
  private static final ImmutableList<String> SHOWN =
      ImmutableList.of("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs");

  private FunctionSyntax() {}

  private static void function(OpParser parser, OpState state) {
    for (String visibility : List.of("public", "private", "nested")) {
      if (parser.eatWord(visibility)) {
        state.attributes().put("sym_visibility", new Attribute.Str(visibility));
      }
    }
    state.attributes().put("sym_name", new Attribute.Str(parser.symbol()));
    List<Value> arguments = new ArrayList<>();
    List<Type> types = new ArrayList<>();
    List<Map<String, Attribute>> attributes = new ArrayList<>();
    parser.list(
        "()",
        () -> {
          if (parser.looksAtUse()) {
            Value argument = parser.argument(false);
            attributes.add(parser.optionalAttributes());
            arguments.add(
                new Value(
                    argument.type(),
                    argument.name(),
                    parser.optionalLocation().orElse(argument.location())));
            types.add(argument.type());
          } else {
            types.add(parser.type());
            attributes.add(parser.optionalAttributes());
          }
        });
    put(state, "arg_attrs", attributes);
    List<Type> results = results(parser, state);
    state
        .attributes()
        .put(
            "function_type",
            new Attribute.OfType(
                new Type.Function(ImmutableList.copyOf(types), ImmutableList.copyOf(results))));
    if (parser.eatWord("attributes")) {
      parser.optionalAttributes(state.attributes());
    }
    state
        .regions()
        .add(parser.looksAt("{") ? parser.region(arguments, true) : new Region(ImmutableList.of()));
  }

  private static List<Type> results(OpParser parser, OpState state) {
    List<Type> types = new ArrayList<>();
    if (!parser.eat("->")) {
      return types;
    }
    if (!parser.looksAt("(")) {
      types.add(parser.type());
      return types;
    }
    List<Map<String, Attribute>> attributes = new ArrayList<>();
    parser.list(
        "()",
        () -> {
          types.add(parser.type());
          attributes.add(parser.optionalAttributes());
        });
    put(state, "res_attrs", attributes);
    return types;
  }

  /** Adds a list with a dictionary for each argument or result, unless all of them are empty. */
  private static void put(OpState state, String name, List<Map<String, Attribute>> attributes) {
    if (attributes.stream().anyMatch(own -> !own.isEmpty())) {
      ImmutableList.Builder<Attribute> all = ImmutableList.builder();
      attributes.forEach(own -> all.add(new Attribute.Dictionary(ImmutableMap.copyOf(own))));
      state.attributes().put(name, new Attribute.Array(all.build()));
    }
  }

  private static boolean printFunction(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("sym_name") instanceof Attribute.Str name)
        || !(op.attributes().get("function_type") instanceof Attribute.OfType of)
        || !(of.type() instanceof Type.Function type)
        || op.regions().size() != 1
        || op.region(0).blocks().size() > 1
        || (!op.region(0).isEmpty()
            && op.region(0).block().arguments().size() != type.inputs().size())) {
      return false;
    }
    printer.enterIsolated();
    if (op.attributes().get("sym_visibility") instanceof Attribute.Str visibility) {
      printer.text(" " + visibility.value());
    }
    printer.text(" @" + MlirText.bareOrQuoted(name.value()) + "(");
    for (int i = 0; i < type.inputs().size(); i++) {
      printer.text(i == 0 ? "" : ", ");
      if (op.region(0).isEmpty()) {
        printer.text(type.inputs().get(i).toString());
        printer.attributes(op.attributes().ofElement("arg_attrs", i));
      } else {
        Value argument = op.region(0).block().arguments().get(i);
        printer.value(argument).text(": " + argument.type());
        printer.attributes(op.attributes().ofElement("arg_attrs", i));
        printer.location(argument.location());
      }
    }
    printer.text(")");
    printResults(printer, op, type);
    Attributes others = op.attributes().without(SHOWN);
    if (!others.entries().isEmpty()) {
      printer.text(" attributes").attributes(others);
    }
    if (!op.region(0).isEmpty()) {
      printer.text(" ").body(op.region(0));
    }
    printer.leave();
    return true;
  }

  private static void printResults(OpPrinter printer, Operation op, Type.Function type) {
    if (type.results().isEmpty()) {
      return;
    }
    boolean bare =
        type.results().size() == 1
            && !(type.results().get(0) instanceof Type.Function)
            && op.attributes().ofElement("res_attrs", 0).entries().isEmpty();
    printer.text(bare ? " -> " : " -> (");
    for (int i = 0; i < type.results().size(); i++) {
      printer.text(i == 0 ? "" : ", ").text(type.results().get(i).toString());
      printer.attributes(op.attributes().ofElement("res_attrs", i));
    }
    printer.text(bare ? "" : ")");
  }
}
