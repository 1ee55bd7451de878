package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Location;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpPrinter;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.OpSyntax;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/** The custom text forms of {@code reduce}, {@code while} and {@code scan}. */
final class RegionSyntax {
  static final ImmutableMap<String, OpSyntax> ALL =
      ImmutableMap.of(
          "stablehlo.reduce", OpSyntax.of(RegionSyntax::reduce, RegionSyntax::printReduce),
          "stablehlo.while", OpSyntax.of(RegionSyntax::whileLoop, RegionSyntax::printWhile),
          "chlo.scan", OpSyntax.of(RegionSyntax::scan, RegionSyntax::printScan));

  /** The attribute with a scan's numbers of inputs and of carried values among the operands. */
  private static final String OPERANDS = "operandSegmentSizes";

  private static final String RESULTS = "resultSegmentSizes";

  private RegionSyntax() {}

  /**
   * Reads {@code (%a init: %b) applies stablehlo.add across dimensions = [0] : types}, or the form
   * with a reducer.
   */
  private static void reduce(OpParser parser, OpState state) {
    List<OpParser.Use> inputs = new ArrayList<>();
    List<OpParser.Use> inits = new ArrayList<>();
    do {
      parser.expect("(");
      inputs.add(parser.use());
      parser.expect("init");
      parser.expect(":");
      inits.add(parser.use());
      parser.expect(")");
    } while (parser.eat(","));
    int applied = parser.position();
    String operation = parser.eatWord("applies") ? parser.word() : "";
    parser.expect("across");
    parser.expect("dimensions");
    parser.expect("=");
    state.attributes().put("dimensions", Attribute.DenseArray.i64(parser.integers()));
    parser.optionalAttributes(state.attributes());
    List<OpParser.Use> uses = new ArrayList<>(inputs);
    uses.addAll(inits);
    TypeSignatureForm.FUNCTION.parse(parser, uses, state);
    if (!operation.isEmpty()) {
      state.regions().add(singleOpReducer(parser, state, operation, applied));
      return;
    }
    parser.expect("reducer");
    List<Value> left = new ArrayList<>();
    List<Value> right = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      parser.expect("(");
      left.add(parser.argument(true));
      parser.expect(",");
      right.add(parser.argument(true));
      parser.expect(")");
    }
    left.addAll(right);
    parser.optionalLocation();
    state.regions().add(parser.region(left, false));
  }

  /** Returns a region that applies one op to two scalars. */
  private static Region singleOpReducer(
      OpParser parser, OpState state, String operation, int position) {
    Type init = state.operands().get(state.operands().size() - 1).type();
    if (!(init instanceof Type.Tensor tensor) || state.operands().size() != 2) {
      throw parser.wrongAt(position, "applies: got %s, want one tensor to reduce", init);
    }
    Type scalar = Type.Tensor.of(tensor.element(), List.of());
    Value left = new Value(scalar, "", Location.unknown());
    Value right = new Value(scalar, "", Location.unknown());
    Operation apply =
        Operation.of(
            Mhlo.renamed(operation),
            List.of(left, right),
            List.of(Value.of(scalar)),
            Attributes.NONE);
    Operation end = Operation.of("stablehlo.return", apply.results(), List.of(), Attributes.NONE);
    return Region.of(new Block(ImmutableList.of(left, right), ImmutableList.of(apply, end)));
  }

  private static boolean printReduce(OpPrinter printer, Operation op) {
    int count = op.operands().size() / 2;
    if (op.operands().size() != 2 * count
        || count == 0
        || op.regions().size() != 1
        || op.region(0).blocks().size() != 1
        || op.region(0).block().arguments().size() != 2 * count
        || !(op.attributes().get("dimensions") instanceof Attribute.DenseArray dimensions)) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      printer.text(i == 0 ? "(" : ", (").value(op.operand(i));
      printer.text(" init: ").value(op.operand(count + i)).text(")");
    }
    boolean simple = isSingleOpReducer(op);
    if (simple) {
      printer.text(" applies " + op.region(0).block().operations().get(0).name());
    }
    printer.text(" across dimensions = " + dimensions.values());
    printer.attributes(op.attributes().without(List.of("dimensions")));
    TypeSignatureForm.FUNCTION.print(printer, op);
    if (!simple) {
      printReducer(printer, op, count);
    }
    return true;
  }

  private static void printReducer(OpPrinter printer, Operation op, int count) {
    printer.newLine().text(" reducer");
    List<Value> arguments = op.region(0).block().arguments();
    printer.enter();
    for (int i = 0; i < count; i++) {
      printer.text(i == 0 ? "" : " ").text("(").argument(arguments.get(i)).text(", ");
      printer.argument(arguments.get(count + i)).text(")");
    }
    printer.text("  ").body(op.region(0)).leave();
  }

  /**
   * Returns whether the region applies one commutative op to its two arguments, in order, and
   * returns the result.
   */
  private static boolean isSingleOpReducer(Operation op) {
    if (op.operands().size() != 2) {
      return false;
    }
    Block block = op.region(0).block();
    if (block.operations().size() != 2) {
      return false;
    }
    Operation apply = block.operations().get(0);
    boolean scalar = op.operand(1).type() instanceof Type.Tensor type && type.rank() == 0;
    return scalar
        && List.of("add", "multiply", "maximum", "minimum", "and", "or", "xor").stream()
            .anyMatch(name -> apply.name().equals("stablehlo." + name))
        && apply.operands().equals(block.arguments())
        && apply.attributes().entries().isEmpty()
        && apply.location().equals(Location.unknown())
        && block.operations().get(1).operands().equals(apply.results())
        && block.operations().get(1).attributes().entries().isEmpty()
        && block.operations().get(1).location().equals(Location.unknown())
        && block.arguments().get(0).type().equals(op.operand(1).type())
        && apply.results().get(0).type().equals(op.operand(1).type());
  }

  /** Reads {@code (%i = %0, ...) : types attributes {...} cond {...} do {...}}. */
  private static void whileLoop(OpParser parser, OpState state) {
    List<OpParser.Use> names = new ArrayList<>();
    List<OpParser.Use> uses = new ArrayList<>();
    parser.list(
        "()",
        () -> {
          names.add(parser.use());
          parser.expect("=");
          uses.add(parser.use());
        });
    List<Type> types = List.of();
    if (parser.eat(":")) {
      types = parser.typeList();
    }
    parser.resolve(uses, types, state);
    state.resultTypes().addAll(types);
    if (parser.eatWord("attributes")) {
      parser.optionalAttributes(state.attributes());
    }
    parser.expect("cond");
    state.regions().add(parser.region(arguments(parser, names, state), false));
    parser.expect("do");
    state.regions().add(parser.region(arguments(parser, names, state), false));
  }

  private static List<Value> arguments(OpParser parser, List<OpParser.Use> names, OpState state) {
    List<Value> arguments = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      Value operand = state.operands().get(i);
      OpParser.Use name = names.get(i);
      arguments.add(
          parser.newArgument(name.name(), operand.type(), operand.location(), name.position()));
    }
    return arguments;
  }

  private static boolean printWhile(OpPrinter printer, Operation op) {
    if (op.regions().size() != 2
        || op.regions().stream().anyMatch(region -> region.blocks().size() != 1)
        || op.regions().stream().anyMatch(region -> !typesOf(region).equals(op.operandTypes()))) {
      return false;
    }
    printer.enter();
    printer.text("(");
    for (int i = 0; i < op.operands().size(); i++) {
      printer.text(i == 0 ? "" : ", ").value(op.region(0).block().arguments().get(i));
      printer.sameName(
          op.region(1).block().arguments().get(i), op.region(0).block().arguments().get(i));
      printer.text(" = ").value(op.operand(i));
    }
    printer.text(")");
    if (!op.operands().isEmpty()) {
      printer.text(
          " : " + String.join(", ", op.operandTypes().stream().map(Type::toString).toList()));
    }
    if (!op.attributes().entries().isEmpty()) {
      printer.text(" attributes").attributes(op.attributes());
    }
    printer.newLine().text("cond ").body(op.region(0)).text(" do ").body(op.region(1)).leave();
    return true;
  }

  /** Reads {@code (%a) inits (%b) dimension=0 attributes {...} {region} : types}. */
  private static void scan(OpParser parser, OpState state) {
    List<OpParser.Use> uses = new ArrayList<>(parser.usesInParentheses());
    int inputs = uses.size();
    parser.expect("inits");
    uses.addAll(parser.usesInParentheses());
    int inits = uses.size() - inputs;
    parser.expect("dimension");
    parser.expect("=");
    state.attributes().put("dimension", Attribute.Int.i64(parser.integer()));
    if (parser.eatWord("attributes")) {
      parser.optionalAttributes(state.attributes());
    }
    state.regions().add(parser.region(List.of(), false));
    int position = parser.position();
    TypeSignatureForm.FUNCTION.parse(parser, uses, state);
    if (state.resultTypes().size() < inits) {
      throw parser.wrongAt(
          position,
          "got %s results, want one of each of %s inits",
          state.resultTypes().size(),
          inits);
    }
    state.attributes().put(OPERANDS, segments(inputs, inits));
    state.attributes().put(RESULTS, segments(state.resultTypes().size() - inits, inits));
  }

  private static Attribute.DenseArray segments(long first, long second) {
    return new Attribute.DenseArray(Types.I32, ImmutableList.of(first, second));
  }

  private static boolean printScan(OpPrinter printer, Operation op) {
    if (!(op.attributes().get(OPERANDS) instanceof Attribute.DenseArray segments)
        || segments.values().size() != 2
        || segments.values().get(0) + segments.values().get(1) != op.operands().size()
        || !(op.attributes().get("dimension") instanceof Attribute.Int dimension)
        || op.regions().size() != 1) {
      return false;
    }
    int inputs = segments.values().get(0).intValue();
    printer.text("(").operands(op.operands().subList(0, inputs)).text(") inits (");
    printer.operands(op.operands().subList(inputs, op.operands().size()));
    printer.text(") dimension=" + dimension.value());
    Attributes others = op.attributes().without(List.of("dimension", OPERANDS, RESULTS));
    if (!others.entries().isEmpty()) {
      printer.text(" attributes").attributes(others);
    }
    printer.text(" ").region(op.region(0));
    TypeSignatureForm.FUNCTION.print(printer, op);
    return true;
  }

  private static List<Type> typesOf(Region region) {
    return Value.types(region.block().arguments());
  }
}
