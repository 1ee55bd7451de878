package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.MlirText;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpPrinter;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.OpSyntax;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The custom text forms of Shardy's meshes and constraints. The attributes are kept as they are
 * written.
 */
final class SdySyntax {
  static final ImmutableMap<String, OpSyntax> ALL =
      ImmutableMap.<String, OpSyntax>builder()
          .put("sdy.mesh", ProductSyntax.of(SdySyntax::mesh, SdySyntax::printMesh))
          .put("sdy.manual_computation", ProductSyntax.read(SdySyntax::manual))
          .put("sdy.return", ProductSyntax.of(CallSyntax::end, CallSyntax::printEnd))
          .put(
              "sdy.sharding_constraint",
              ProductSyntax.of(SdySyntax::constraint, SdySyntax::printConstraint))
          .put("sdy.reshard", ProductSyntax.of(SdySyntax::constraint, SdySyntax::printConstraint))
          .putAll(SdyOpSyntax.ALL)
          .buildOrThrow();

  private SdySyntax() {}

  /** Reads the text in brackets as an attribute {@code #sdy.mnemonic<...>}. */
  static Attribute.Verbatim body(OpParser parser, String mnemonic) {
    int start = parser.position();
    parser.skipBrackets();
    return new Attribute.Verbatim("sdy", "." + mnemonic + parser.textFrom(start));
  }

  /** Reads {@code @mesh = <["x"=2]>}. */
  private static void mesh(OpParser parser, OpState state) {
    state.attributes().put("sym_name", new Attribute.Str(parser.symbol()));
    parser.expect("=");
    state.attributes().put("mesh", body(parser, "mesh"));
    parser.optionalAttributes(state.attributes());
  }

  private static boolean printMesh(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("sym_name") instanceof Attribute.Str name)
        || !(op.attributes().get("mesh") instanceof Attribute.Verbatim mesh)
        || !mesh.body().startsWith(".mesh<")) {
      return false;
    }
    printer.text(" @" + MlirText.bareOrQuoted(name.value()) + " = ");
    printer.text(mesh.body().substring(".mesh".length()));
    printer.attributes(op.attributes().without(List.of("sym_name", "mesh")));
    return true;
  }

  /**
   * Reads {@code (%0) in_shardings=[<@mesh, [{"r"}]>] out_shardings=[...] manual_axes={"r"} (%arg0:
   * t) {...} : (types) -> types}. It is printed in generic form.
   */
  private static void manual(OpParser parser, OpState state) {
    List<OpParser.Use> uses = parser.usesInParentheses();
    for (String name : List.of("in_shardings", "out_shardings")) {
      parser.expect(name);
      perValue(parser, name, state);
    }
    parser.expect("manual_axes");
    parser.expect("=");
    state.attributes().put("manual_axes", bare(parser, "manual_axes"));
    body(parser, uses, state);
  }

  /** Reads {@code =[<@mesh, [{"r"}]>]}, the shardings of several values. */
  static void perValue(OpParser parser, String name, OpState state) {
    parser.expect("=");
    int start = parser.position();
    parser.skipBrackets();
    state
        .attributes()
        .put(
            name,
            new Attribute.Verbatim("sdy", ".sharding_per_value<" + parser.textFrom(start) + ">"));
  }

  /** Reads the text in brackets as an attribute {@code #sdy<mnemonic[...]>}. */
  static Attribute.Verbatim bare(OpParser parser, String mnemonic) {
    int start = parser.position();
    parser.skipBrackets();
    return new Attribute.Verbatim("sdy", "<" + mnemonic + parser.textFrom(start) + ">");
  }

  /** Reads {@code (%arg0: t) {...} : (types) -> types}, a region and the types of the op. */
  static void body(OpParser parser, List<OpParser.Use> uses, OpState state) {
    List<Value> arguments = new ArrayList<>();
    parser.expect("(");
    if (!parser.eat(")")) {
      do {
        arguments.add(parser.argument(true));
      } while (parser.eat(","));
      parser.expect(")");
    }
    state.regions().add(parser.region(arguments, false));
    parser.optionalAttributes(state.attributes());
    parser.expect(":");
    TypeSignatureForm.FUNCTION.parse(parser, uses, state);
  }

  /** Reads {@code %0 <@mesh, [{"x"}]> : type}. */
  private static void constraint(OpParser parser, OpState state) {
    List<OpParser.Use> uses = List.of(parser.use());
    state.attributes().put("sharding", body(parser, "sharding"));
    parser.optionalAttributes(state.attributes());
    parser.expect(":");
    TypeSignatureForm.SAME.parse(parser, uses, state);
  }

  private static boolean printConstraint(OpPrinter printer, Operation op) {
    if (!(op.attributes().get("sharding") instanceof Attribute.Verbatim sharding)
        || !sharding.body().startsWith(".sharding<")) {
      return false;
    }
    printer.text(" ").operands(op.operands());
    printer.text(" " + sharding.body().substring(".sharding".length()));
    printer.attributes(op.attributes().without(List.of("sharding")));
    printer.text(" : ");
    TypeSignatureForm.SAME.print(printer, op);
    return true;
  }
}
