package org.hlo4j.stablehlo.dialect;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpPrinter;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/**
 * The meaning of the types after the colon of a custom form. Any form with a colon may have a
 * function type instead.
 */
enum TypeSignatureForm {
  /** No types and no colon: operands may have any type. */
  NONE("those of %s operands"),
  /** One type, that of all operands and results. */
  SAME("one type, that of all operands and results"),
  /** A function type. */
  FUNCTION("(operands) -> results"),
  /** The types of the operands, an arrow, and the types of the results. */
  ARROW("(operands) -> results"),
  /** The types of the operands, the word {@code to}, and the type of the result. */
  CAST("one type to another"),
  /** The types of the results. */
  RESULT("those of %s operands"),
  /** The types of the operands, or one type for all operands. */
  OPERANDS("those of %s operands"),
  /** The types of the operands; no colon without operands. */
  EACH("those of %s operands"),
  /** The types of the operands, which are also those of the results; {@code ()} without any. */
  PAIRWISE("those of %s operands"),
  /** The type of the predicate, and the type of all other operands. */
  SELECT("two types, that of the predicate and that of the others"),
  /** The same, in which the type of the predicate may be missing: {@code i1}. */
  CHOICE("two types, that of the predicate and that of the others"),
  /** The type of the operands; the result has booleans instead of its elements. */
  COMPARISON("one type, that of all operands"),
  /** The type of a tensor; other operands and the result are indices. */
  INDEXED("a tensor"),
  /** The type of a tensor; other operands are indices, and the result is an element. */
  ELEMENT("a tensor"),
  /** The type of the result, whose elements are the operands. */
  ELEMENTS("a tensor"),
  /**
   * The type of the result, whose element type gives the type of the real and imaginary operands.
   */
  COMPLEX("a tensor of complex numbers"),
  /** The type of the result, whose element types are those of the operands. */
  TUPLE("a tuple");

  /** What the text has to say, for messages; %s stands for the number of operands. */
  private final String expected;

  TypeSignatureForm(String expected) {
    this.expected = expected;
  }

  /** Reads the colon and the types and resolves the operands. */
  void parse(OpParser parser, List<OpParser.Use> uses, OpState state) {
    if (this == NONE) {
      uses.forEach(use -> state.operands().add(parser.lookUp(use)));
      return;
    }
    if (this == EACH && uses.isEmpty()) {
      return;
    }
    if (this == PAIRWISE && uses.isEmpty() && parser.eat("(")) {
      parser.expect(")");
      return;
    }
    parser.expect(":");
    int position = parser.position();
    if (parser.peek() == '(') {
      if (!(parser.type() instanceof Type.Function function)) {
        throw parser.wrongAt(position, "got no function type");
      }
      parser.resolve(uses, function.inputs(), state);
      state.resultTypes().addAll(function.results());
      return;
    }
    ImmutableList<Type> types = parser.typeList();
    if (this == CAST ? parser.eatWord("to") : parser.eat("->")) {
      parser.resolve(uses, types, state);
      state.resultTypes().addAll(parser.types());
      return;
    }
    List<Type> operands =
        operands(types, uses.size())
            .orElseThrow(() ->
                parser.wrongAt(
                    position,
                    "got %s, want %s",
                    join(types),
                    expected.replace("%s", "" + uses.size())));
    parser.resolve(uses, operands, state);
    state.resultTypes().addAll(results(types));
  }

  private Optional<List<Type>> operands(ImmutableList<Type> types, int count) {
    Type first = types.get(0);
    boolean isOne = types.size() == 1;
    return switch (this) {
      case NONE, FUNCTION, ARROW, CAST -> Optional.empty();
      case SAME, COMPARISON -> optional(isOne, Collections.nCopies(count, first));
      case RESULT -> optional(count == 0, List.of());
      case OPERANDS -> Optional.of(isOne ? Collections.nCopies(count, first) : types);
      case EACH, PAIRWISE -> Optional.of(types);
      case SELECT, CHOICE -> {
        Type others = types.get(types.size() - 1);
        Type predicate = isOne ? Types.I1 : first;
        boolean fits = types.size() == 2 || (isOne && this == CHOICE);
        yield optional(fits && count == 3, List.of(predicate, others, others));
      }
      case INDEXED, ELEMENT -> {
        List<Type> operands = new ArrayList<>(Collections.nCopies(count, Type.Simple.INDEX));
        if (count > 0) {
          operands.set(0, first);
        }
        yield optional(isOne && (this == INDEXED || first instanceof Type.Tensor), operands);
      }
      case ELEMENTS ->
          isOne && first instanceof Type.Tensor tensor
              ? Optional.of(Collections.nCopies(count, tensor.element()))
              : Optional.empty();
      case COMPLEX ->
          isOne
                  && first instanceof Type.Tensor tensor
                  && tensor.element() instanceof Type.Complex complex
              ? Optional.of(Collections.nCopies(count, withElement(tensor, complex.element())))
              : Optional.empty();
      case TUPLE ->
          isOne && first instanceof Type.Tuple tuple
              ? Optional.of(tuple.elements())
              : Optional.empty();
    };
  }

  private static Optional<List<Type>> optional(boolean fits, List<Type> types) {
    return fits ? Optional.of(types) : Optional.empty();
  }

  private List<Type> results(ImmutableList<Type> types) {
    Type first = types.get(0);
    return switch (this) {
      case SELECT, CHOICE -> List.of(types.get(types.size() - 1));
      case NONE, OPERANDS, EACH -> List.of();
      case COMPARISON ->
          List.of(first instanceof Type.Tensor tensor ? withElement(tensor, Types.I1) : Types.I1);
      case INDEXED -> List.of(Type.Simple.INDEX);
      case ELEMENT -> List.of(((Type.Tensor) first).element());
      case SAME, FUNCTION, ARROW, CAST, RESULT, PAIRWISE, ELEMENTS, COMPLEX, TUPLE -> types;
    };
  }

  private static Type withElement(Type.Tensor tensor, Type element) {
    return new Type.Tensor(tensor.sizes(), element, tensor.encoding());
  }

  /** Returns whether the form can express the operands of an op. */
  boolean isFor(Operation operation) {
    return switch (this) {
      case RESULT -> operation.operands().isEmpty();
      case PAIRWISE -> !operation.operands().isEmpty();
      default -> true;
    };
  }

  /** Prints the colon and the types in the shortest form that reads back. */
  void print(OpPrinter printer, Operation operation) {
    if (this == NONE || (this == EACH && operation.operands().isEmpty())) {
      return;
    }
    ImmutableList<Type> operands = operation.operandTypes();
    ImmutableList<Type> results = operation.resultTypes();
    ImmutableList<Type> shortest = shortest(operation);
    boolean whole =
        !shortest.isEmpty()
            && operands(shortest, operands.size()).map(operands::equals).orElse(false)
            && results(shortest).equals(results);
    String function = new Type.Function(operands, results).toString();
    printer.text(
        " : "
            + switch (this) {
              case ARROW ->
                  join(operands)
                      + " -> "
                      + (results.size() == 1 ? join(results) : "(" + join(results) + ")");
              case CAST -> join(operands) + " to " + join(results);
              case OPERANDS, EACH -> join(shortest);
              default -> whole ? join(shortest) : function;
            });
  }

  private ImmutableList<Type> shortest(Operation operation) {
    ImmutableList<Type> operands = operation.operandTypes();
    return switch (this) {
      case SAME, COMPLEX, TUPLE, RESULT, ELEMENTS -> operation.resultTypes();
      case NONE, FUNCTION, ARROW, CAST -> ImmutableList.of();
      case OPERANDS ->
          operands.stream().distinct().count() == 1
                  && !operation.name().equals("check.expect_close")
              ? ImmutableList.of(operands.get(0))
              : operands;
      case EACH, PAIRWISE -> operands;
      case SELECT -> first(2, operands);
      case CHOICE ->
          first(2, operands).equals(List.of(Types.I1, Types.I1))
              ? first(1, operands)
              : first(2, operands);
      case COMPARISON, INDEXED, ELEMENT -> first(1, operands);
    };
  }

  private static ImmutableList<Type> first(int count, ImmutableList<Type> types) {
    return types.stream().limit(count).collect(toImmutableList());
  }

  private static String join(List<Type> types) {
    return String.join(", ", types.stream().map(Type::toString).toList());
  }
}
