package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.dialect.OpDefinition;
import org.hlo4j.stablehlo.dialect.OpTable;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/** The constraints on operands that are sizes, known or unknown. */
final class SizeRules {
  private SizeRules() {}

  /**
   * Requires that an op of StableHLO works on tensors, of integers of a width: only sizes may be of
   * type index, which other dialects compute.
   */
  static void requireTensors(Operation operation) {
    if (!operation.dialect().equals("stablehlo") && !operation.dialect().equals("chlo")) {
      return;
    }
    boolean isOfSizes = operation.name().equals("chlo.minimum_broadcast_shapes");
    int sizes = isOfSizes ? 0 : firstSizes(operation);
    for (int i = 0; i < operation.operands().size(); i++) {
      requireTensor("operand " + i, operation.operand(i).type(), i >= sizes);
    }
    for (int i = 0; i < operation.results().size(); i++) {
      requireTensor("result " + i, operation.results().get(i).type(), isOfSizes);
    }
  }

  /** Returns the number of the first operand that holds sizes, which may be of type index. */
  private static int firstSizes(Operation operation) {
    int sizes = OpTable.find(operation.name()).map(OpDefinition::sizes).orElse(0);
    return Math.max(0, operation.operands().size() - sizes);
  }

  /** Returns whether the sizes that an op takes are known. */
  static boolean areKnown(OpImport op) {
    return op.operands(firstSizes(op.operation()), op.operandCount()).stream()
        .allMatch(sizes -> op.known(sizes) != null);
  }

  private static void requireTensor(String role, Type type, boolean isSizes) {
    boolean isNumber =
        switch (type) {
          case Type.Int _, Type.Floating _, Type.Simple _ -> true;
          case Type.Dialect dialect -> dialect.dialect().equals("shape");
          default -> false;
        };
    verify(!isNumber, "%s got %s, want a tensor, tuple or token", role, type);
    verify(
        isSizes || Shapes.element(type) != Type.Simple.INDEX,
        "%s got %s, want integers of a width",
        role,
        type);
  }

  static Shape.Array declared(OpImport op) {
    return (Shape.Array) Shapes.symbolicShape(RegionRules.tensor(op.resultType(0), "result"));
  }

  /** Returns a shape in which some dimensions have a symbolic size. */
  static Shape symbolic(Shape.Array shape, Dims dimensions) {
    List<Long> sizes = new ArrayList<>();
    for (int i = 0; i < shape.rank(); i++) {
      boolean isSymbolic = dimensions.contains(i) || shape.isUnbounded(i);
      sizes.add(isSymbolic ? Type.DYNAMIC : shape.size(i));
    }
    return Shapes.symbolicShape(Type.Tensor.of(Types.of(shape.elementType()), sizes));
  }

  /** Requires a vector of integers of a given length. */
  static void requireCount(OpImport op, int operand, int count, String label) {
    Shape.Array sizes = op.array(operand);
    require(
        sizes.rank() == 1
            && (sizes.isDynamic(0) || sizes.size(0) == count)
            && sizes.elementType().isIntegral(),
        label,
        "operand %s got %s, want %s integers",
        operand,
        sizes,
        count);
  }

  /** Requires vectors of one type, with a number for each dimension of the first operand. */
  static void requireCounts(OpImport op, int from, int to, String label) {
    for (int i = from; i < to; i++) {
      requireCount(op, i, op.array(0).rank(), label);
      require(
          Shapes.areCompatible(op.operandTensor(i), op.operandTensor(from)),
          label,
          "operand %s got %s, want the type of operand %s, %s",
          i,
          op.operandTensor(i),
          from,
          op.operandTensor(from));
    }
  }

  /** Requires a vector that holds the sizes of the result, as far as they are known. */
  static void requireShapeOperand(OpImport op, int operand, String label) {
    Shape.Array result = declared(op);
    Shape.Array sizes = op.array(operand);
    require(
        sizes.rank() == 1 && !sizes.isDynamic() && sizes.elementType().isIntegral(),
        label,
        "operand %s got %s, want a vector of integers of a known length",
        operand,
        sizes);
    long[] known = op.known(op.operand(operand));
    if (known != null) {
      requireCount(op, operand, result.rank(), label);
    }
    for (int i = 0; known != null && i < known.length; i++) {
      require(
          known[i] >= 0 && (result.isDynamic(i) || known[i] == result.size(i)),
          label,
          "operand %s got %s, want the sizes of the result, %s",
          operand,
          Dims.of(known),
          result);
    }
  }

  /** Requires that the known expansion hints name dimensions of the operand, each once. */
  static void requireHints(OpImport op) {
    Dims hints =
        op.fields()
            .ints("known_expanding_dimensions")
            .concat(op.fields().ints("known_nonexpanding_dimensions"));
    require(
        hints.isDistinct(),
        "dynamic_broadcast_in_dim C8",
        "known_expanding_dimensions and known_nonexpanding_dimensions got %s, want each once",
        hints);
    int rank = op.array(0).rank();
    require(
        hints.stream().allMatch(d -> d >= 0 && d < rank),
        "dynamic_broadcast_in_dim C9",
        "known_expanding_dimensions and known_nonexpanding_dimensions got %s, want dimensions of"
            + " %s",
        hints,
        op.array(0));
  }
}
