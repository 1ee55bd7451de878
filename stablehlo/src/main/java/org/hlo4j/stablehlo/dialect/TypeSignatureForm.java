package org.hlo4j.stablehlo.dialect;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpPrinter;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The meaning of the types after the colon of a custom form. Any form may have a function type
 * instead.
 */
enum TypeSignatureForm {
  /** One type, that of all operands and results. */
  SAME,
  /** A function type. */
  FUNCTION,
  /** The types of the operands, an arrow, and the types of the results. */
  ARROW,
  /** The types of the results. */
  RESULT,
  /** The types of the operands, or one type for all operands. */
  OPERANDS,
  /** The types of the operands, which are also those of the results. */
  PAIRWISE,
  /** The type of the predicate, and the type of all other operands. */
  SELECT,
  /**
   * The type of the result, whose element type gives the type of the real and imaginary operands.
   */
  COMPLEX,
  /** The type of the result, whose element types are those of the operands. */
  TUPLE;

  /** Reads the types and resolves the operands. */
  void parse(OpParser parser, List<OpParser.Use> uses, OpState state) {
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
    if (parser.eat("->")) {
      parser.resolve(uses, types, state);
      state.resultTypes().addAll(parser.types());
      return;
    }
    List<Type> operands =
        operands(types, uses.size())
            .orElseThrow(() ->
                parser.wrongAt(
                    position, "got " + join(types) + ", want " + expectedTypes(uses.size())));
    parser.resolve(uses, operands, state);
    state.resultTypes().addAll(results(types));
  }

  private String expectedTypes(int operands) {
    return switch (this) {
      case SAME -> "one type, that of all operands and results";
      case FUNCTION, ARROW -> "(operands) -> results";
      case RESULT, OPERANDS, PAIRWISE -> "those of " + operands + " operands";
      case SELECT -> "two types, that of the predicate and that of the others";
      case COMPLEX -> "a tensor of complex numbers";
      case TUPLE -> "a tuple";
    };
  }

  private Optional<List<Type>> operands(ImmutableList<Type> types, int count) {
    Type first = types.get(0);
    return switch (this) {
      case SAME ->
          types.size() == 1 ? Optional.of(Collections.nCopies(count, first)) : Optional.empty();
      case FUNCTION, ARROW -> Optional.empty();
      case RESULT -> count == 0 ? Optional.of(List.of()) : Optional.empty();
      case OPERANDS ->
          types.size() == 1 ? Optional.of(Collections.nCopies(count, first)) : Optional.of(types);
      case PAIRWISE -> Optional.of(types);
      case SELECT ->
          types.size() == 2 && count == 3
              ? Optional.of(List.of(first, types.get(1), types.get(1)))
              : Optional.empty();
      case COMPLEX ->
          types.size() == 1
                  && first instanceof Type.Tensor tensor
                  && tensor.element() instanceof Type.Complex complex
              ? Optional.of(
                  Collections.nCopies(
                      count, new Type.Tensor(tensor.sizes(), complex.element(), tensor.encoding())))
              : Optional.empty();
      case TUPLE ->
          types.size() == 1 && first instanceof Type.Tuple tuple
              ? Optional.of(tuple.elements())
              : Optional.empty();
    };
  }

  private List<Type> results(ImmutableList<Type> types) {
    return switch (this) {
      case SELECT -> List.of(types.get(1));
      case OPERANDS -> List.of();
      case SAME, FUNCTION, ARROW, RESULT, PAIRWISE, COMPLEX, TUPLE -> types;
    };
  }

  /** Prints the types in the shortest form that reads back. */
  void print(OpPrinter printer, Operation operation) {
    ImmutableList<Type> shortest = shortest(operation);
    boolean whole =
        !shortest.isEmpty()
            && operands(shortest, operation.operands().size())
                .map(types -> types.equals(operation.operandTypes()))
                .orElse(false)
            && results(shortest).equals(operation.resultTypes());
    if (whole) {
      printer.text(join(shortest));
    } else if (this == ARROW) {
      printer.text(join(operation.operandTypes()) + " -> " + join(operation.resultTypes()));
    } else if (this == OPERANDS) {
      printer.text(join(operation.operandTypes()));
    } else {
      printer.text(new Type.Function(operation.operandTypes(), operation.resultTypes()).toString());
    }
  }

  private ImmutableList<Type> shortest(Operation operation) {
    return switch (this) {
      case SAME, COMPLEX, TUPLE, RESULT -> operation.resultTypes();
      case FUNCTION, ARROW -> ImmutableList.of();
      case OPERANDS ->
          operation.operandTypes().stream().distinct().count() == 1
                  && !operation.name().equals("check.expect_close")
              ? ImmutableList.of(operation.operandTypes().get(0))
              : operation.operandTypes();
      case PAIRWISE -> operation.operandTypes();
      case SELECT -> operation.operandTypes().stream().limit(2).collect(toImmutableList());
    };
  }

  private static String join(List<Type> types) {
    return String.join(", ", types.stream().map(Type::toString).toList());
  }
}
