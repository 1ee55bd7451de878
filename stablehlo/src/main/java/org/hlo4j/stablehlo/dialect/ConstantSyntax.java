package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpPrinter;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.OpSyntax;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The custom text forms of constants and of checks against constants, in which the value also gives
 * the type.
 */
final class ConstantSyntax {
  static final ImmutableMap<String, OpSyntax> ALL =
      ImmutableMap.of(
          "stablehlo.constant", constant(),
          "chlo.constant", constant(),
          "sdy.constant", constant(),
          "arith.constant", constant(),
          "check.expect_eq_const", check(),
          "check.expect_almost_eq_const", check());

  private ConstantSyntax() {}

  private static OpSyntax constant() {
    return OpSyntax.of(ConstantSyntax::parse, ConstantSyntax::print);
  }

  private static void parse(OpParser parser, OpState state) {
    if (parser.eat("(")) { // the form of older texts: () {value = dense<...>} : () -> type
      parser.expect(")");
      if (parser.eat("<")) {
        parser.optionalAttributes(state.attributes());
        parser.expect(">");
      }
      parser.optionalAttributes(state.attributes());
      TypeSignatureForm.FUNCTION.parse(parser, List.of(), state);
      return;
    }
    parser.optionalAttributes(state.attributes());
    int position = parser.position();
    Attribute value = parser.attribute();
    state.attributes().put("value", value);
    state.resultTypes().add(type(parser, value, position, state.name().startsWith("arith.")));
  }

  private static Type type(OpParser parser, Attribute value, int position, boolean ofScalars) {
    return switch (value) {
      case Attribute.Dense dense -> dense.type();
      case Attribute.DenseResource resource -> resource.type();
      case Attribute.Int number when ofScalars -> number.type();
      case Attribute.Floating number when ofScalars -> number.type();
      case Attribute other -> throw parser.wrongAt(position, "got %s, want dense<...>", other);
    };
  }

  private static boolean print(OpPrinter printer, Operation op) {
    Attribute value = op.attributes().get("value");
    boolean same =
        value instanceof Attribute.Dense dense && op.resultTypes().equals(List.of(dense.type()));
    boolean isScalar =
        op.name().startsWith("arith.")
            && (value instanceof Attribute.Int || value instanceof Attribute.Floating);
    if (value == null || !(same || isScalar || value instanceof Attribute.DenseResource)) {
      return false;
    }
    printer.attributes(op.attributes().without(List.of("value")));
    printer.text(" " + value);
    return true;
  }

  private static OpSyntax check() {
    return OpSyntax.of(ConstantSyntax::parseCheck, ConstantSyntax::printCheck);
  }

  private static void parseCheck(OpParser parser, OpState state) {
    OpParser.Use use = parser.use();
    parser.expect(",");
    int position = parser.position();
    Attribute value = parser.elements(() -> parser.optionalAttributes(state.attributes()));
    state.attributes().put("value", value);
    parser.resolve(List.of(use), List.of(type(parser, value, position, false)), state);
  }

  private static boolean printCheck(OpPrinter printer, Operation op) {
    Attribute value = op.attributes().get("value");
    if (!(value instanceof Attribute.Dense dense)
        || !op.operandTypes().equals(List.of(dense.type()))
        || op.attributes().entries().size() > 1) { // the others would stand before its type
      return false;
    }
    printer.text(" ").operands(op.operands()).text(", " + value);
    return true;
  }
}
