package org.hlo4j.stablehlo.dialect;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.math.BigInteger;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpPrinter;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.OpSyntax;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/**
 * The custom text forms of MLIR's dialects {@code arith}, {@code tensor}, {@code shape} and {@code
 * cf}, in which other compilers compute the sizes that StableHLO's dynamic ops take. What has no
 * form here is printed in the generic one.
 */
final class SizeSyntax {
  private static final Type INDEX = Type.Simple.INDEX;
  private static final Type SHAPE = new Type.Dialect("shape", "shape", "");
  private static final Type SIZE = new Type.Dialect("shape", "size", "");
  private static final Type WITNESS = new Type.Dialect("shape", "witness", "");

  static final ImmutableList<String> INTEGER_PREDICATES =
      ImmutableList.of("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge");

  static final ImmutableList<String> FLOAT_PREDICATES =
      ImmutableList.of(
          "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
          "ule", "une", "uno", "true");

  private static final ImmutableSet<String> CASTS =
      ImmutableSet.copyOf(
          Splitter.on(' ')
              .split(
                  "index_cast index_castui extsi extui trunci extf truncf bitcast sitofp uitofp"
                      + " fptosi fptoui"));

  private static final OpSyntax CAST = ProductSyntax.of(SizeSyntax::cast, SizeSyntax::printCast);

  static final ImmutableMap<String, OpSyntax> ALL = all();

  private SizeSyntax() {}

  private static ImmutableMap<String, OpSyntax> all() {
    ImmutableMap.Builder<String, OpSyntax> all = ImmutableMap.builder();
    for (String name : OpTable.rows().keySet()) {
      if (name.startsWith("arith.") && !ConstantSyntax.ALL.containsKey(name)) {
        all.put(name, arithmetic(name.substring("arith.".length())));
      }
    }
    all.put("tensor.dim", ProductSyntax.of(SizeSyntax::dim, SizeSyntax::printDim));
    all.put("tensor.rank", typed(INDEX));
    all.put("tensor.cast", CAST);
    all.put("tensor.from_elements", ProductSyntax.of(SizeSyntax::elements, SizeSyntax::printSame));
    all.put("tensor.extract", ProductSyntax.read(SizeSyntax::extract));
    all.put("shape.const_shape", ProductSyntax.read(SizeSyntax::constShape));
    all.put("shape.const_size", constant("value", SizeSyntax::index, SIZE));
    all.put("shape.const_witness", constant("passing", OpParser::attribute, WITNESS));
    all.put("shape.from_extents", typed(SHAPE));
    all.put("shape.size_to_index", typed(INDEX));
    all.put("shape.is_broadcastable", typed(Types.I1));
    all.put("shape.shape_eq", typed(Types.I1));
    all.put("shape.cstr_broadcastable", typed(WITNESS));
    all.put("shape.cstr_eq", typed(WITNESS));
    all.put("shape.assuming_all", untyped(WITNESS));
    all.put("shape.index_to_size", untyped(SIZE));
    all.put("shape.cstr_require", asserted(List.of(WITNESS)));
    all.put("cf.assert", asserted(List.of()));
    all.put("shape.assuming", ProductSyntax.read(SizeSyntax::assuming));
    all.put("shape.assuming_yield", ProductSyntax.of(CallSyntax::end, CallSyntax::printEnd));
    return all.buildOrThrow();
  }

  private static OpSyntax arithmetic(String name) {
    return switch (name) {
      case "cmpi" -> comparison(INTEGER_PREDICATES);
      case "cmpf" -> comparison(FLOAT_PREDICATES);
      case "select" -> ProductSyntax.read(SizeSyntax::select);
      default ->
          CASTS.contains(name) ? CAST : ProductSyntax.of(SizeSyntax::same, SizeSyntax::printSame);
    };
  }

  /** Reads flags, which change no result that is defined, the attributes and a colon. */
  private static void attributes(OpParser parser, OpState state) {
    flags(parser, state, "overflow", "overflowFlags");
    flags(parser, state, "fastmath", "fastmath");
    parser.optionalAttributes(state.attributes());
    parser.expect(":");
  }

  private static void flags(OpParser parser, OpState state, String word, String name) {
    if (parser.eatWord(word)) {
      int start = parser.position();
      parser.skipBrackets();
      String body = "." + word + parser.textFrom(start);
      state.attributes().put(name, new Attribute.Verbatim("arith", body));
    }
  }

  /** Reads {@code %a, %b : type}, that of the operands and of the result. */
  private static void same(OpParser parser, OpState state) {
    List<OpParser.Use> uses = parser.uses();
    attributes(parser, state);
    Type type = parser.type();
    parser.resolve(uses, Collections.nCopies(uses.size(), type), state);
    state.resultTypes().add(type);
  }

  private static boolean printSame(OpPrinter printer, Operation op) {
    return op.results().size() == 1 && print(printer, op, op.resultTypes().get(0).toString());
  }

  /** Prints an op without attributes. */
  private static boolean print(OpPrinter printer, Operation op, String types) {
    if (!op.attributes().entries().isEmpty()) {
      return false;
    }
    printer.text(op.operands().isEmpty() ? "" : " ").operands(op.operands());
    printer.text(" : " + types);
    return true;
  }

  /** Reads {@code %a : type to type}. */
  private static void cast(OpParser parser, OpState state) {
    OpParser.Use use = parser.use();
    attributes(parser, state);
    state.operands().add(parser.resolve(use, parser.type()));
    parser.expect("to");
    state.resultTypes().add(parser.type());
  }

  private static boolean printCast(OpPrinter printer, Operation op) {
    return op.operands().size() == 1
        && op.results().size() == 1
        && print(printer, op, op.operandTypes().get(0) + " to " + op.resultTypes().get(0));
  }

  /** Reads {@code slt, %a, %b : type}. */
  private static OpSyntax comparison(List<String> predicates) {
    return ProductSyntax.read((parser, state) -> {
      int position = parser.position();
      int predicate = predicates.indexOf(parser.word());
      if (predicate < 0) {
        throw parser.wrongAt(position, "got another predicate, want one of " + predicates);
      }
      state.attributes().put("predicate", Attribute.Int.i64(predicate));
      parser.expect(",");
      same(parser, state);
      state.resultTypes().set(0, withElement(state.resultTypes().get(0), Types.I1));
    });
  }

  private static Type withElement(Type type, Type element) {
    return type instanceof Type.Tensor tensor
        ? new Type.Tensor(tensor.sizes(), element, tensor.encoding())
        : element;
  }

  /** Reads {@code %c, %a, %b : type}, or the type of the condition before it. */
  private static void select(OpParser parser, OpState state) {
    List<OpParser.Use> uses = parser.uses();
    attributes(parser, state);
    ImmutableList<Type> types = parser.typeList();
    Type type = types.get(types.size() - 1);
    Type condition = types.size() > 1 ? types.get(0) : Types.I1;
    parser.resolve(uses, List.of(condition, type, type), state);
    state.resultTypes().add(type);
  }

  /** Reads {@code %a, %i : type} of a size, whose number is an index. */
  private static void dim(OpParser parser, OpState state) {
    OpParser.Use tensor = parser.use();
    parser.expect(",");
    OpParser.Use index = parser.use();
    attributes(parser, state);
    state.operands().add(parser.resolve(tensor, parser.type()));
    state.operands().add(parser.resolve(index, INDEX));
    state.resultTypes().add(INDEX);
  }

  private static boolean printDim(OpPrinter printer, Operation op) {
    return op.operands().size() == 2 && print(printer, op, op.operandTypes().get(0).toString());
  }

  /** Reads {@code %a, %b : tensor<2xindex>}; the operands are elements. */
  private static void elements(OpParser parser, OpState state) {
    List<OpParser.Use> uses = parser.uses();
    attributes(parser, state);
    Type.Tensor type = tensor(parser);
    parser.resolve(uses, Collections.nCopies(uses.size(), type.element()), state);
    state.resultTypes().add(type);
  }

  private static Type.Tensor tensor(OpParser parser) {
    int position = parser.position();
    Type type = parser.type();
    if (type instanceof Type.Tensor tensor) {
      return tensor;
    }
    throw parser.wrongAt(position, "got " + type + ", want a tensor");
  }

  /** Reads {@code %t[%i, %j] : type}. */
  private static void extract(OpParser parser, OpState state) {
    OpParser.Use tensor = parser.use();
    parser.expect("[");
    List<OpParser.Use> indices = parser.uses();
    parser.expect("]");
    attributes(parser, state);
    Type.Tensor type = tensor(parser);
    state.operands().add(parser.resolve(tensor, type));
    parser.resolve(indices, Collections.nCopies(indices.size(), INDEX), state);
    state.resultTypes().add(type.element());
  }

  /** Reads {@code [1, 2] : type}. */
  private static void constShape(OpParser parser, OpState state) {
    parser.optionalAttributes(state.attributes());
    List<Long> sizes = parser.integers();
    parser.expect(":");
    state.attributes().put("shape", Matrices.ofIndices(sizes));
    state.resultTypes().add(parser.type());
  }

  private static Attribute index(OpParser parser) {
    return new Attribute.Int(BigInteger.valueOf(parser.integer()), INDEX);
  }

  private static OpSyntax constant(String name, Function<OpParser, Attribute> value, Type result) {
    return ProductSyntax.read((parser, state) -> {
      parser.optionalAttributes(state.attributes());
      state.attributes().put(name, value.apply(parser));
      state.resultTypes().add(result);
    });
  }

  /** Reads {@code %a, %b : types} of an op whose result has a type of its own. */
  private static OpSyntax typed(Type result) {
    return ProductSyntax.read((parser, state) -> {
      CallSyntax.end(parser, state);
      state.resultTypes().add(result);
    });
  }

  /** Reads operands without types. */
  private static OpSyntax untyped(Type result) {
    return ProductSyntax.read((parser, state) -> {
      do { // no colon ends the list, and the next line may begin with a value
        state.operands().add(parser.lookUp(parser.use()));
      } while (parser.eat(","));
      parser.optionalAttributes(state.attributes());
      state.resultTypes().add(result);
    });
  }

  /** Reads {@code %holds, "message"}. */
  private static OpSyntax asserted(List<Type> results) {
    return ProductSyntax.read((parser, state) -> {
      OpParser.Use use = parser.use();
      parser.expect(",");
      state.attributes().put("msg", new Attribute.Str(parser.string()));
      parser.optionalAttributes(state.attributes());
      state.operands().add(parser.resolve(use, Types.I1));
      state.resultTypes().addAll(results);
    });
  }

  /** Reads {@code %witness -> (types) { ... }}. */
  private static void assuming(OpParser parser, OpState state) {
    state.operands().add(parser.resolve(parser.use(), WITNESS));
    if (parser.eat("->")) {
      state.resultTypes().addAll(parser.types());
    }
    state.regions().add(parser.region(List.of(), false));
    parser.optionalAttributes(state.attributes());
  }
}
