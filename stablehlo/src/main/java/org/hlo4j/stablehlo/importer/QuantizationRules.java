package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The constraints on quantized operands and results: which types have to agree, and how far.
 * Source: the constraints of StableHLO's specification, as implemented by upstream's verifier.
 */
final class QuantizationRules {
  /** Ops whose operands and results are all quantized or all not, with any scales. */
  private static final ImmutableSet<String> ELEMENTWISE =
      ImmutableSet.of(
          "abs",
          "add",
          "atan2",
          "cbrt",
          "ceil",
          "cholesky",
          "clamp",
          "cosine",
          "divide",
          "exponential",
          "exponential_minus_one",
          "floor",
          "log",
          "log_plus_one",
          "logistic",
          "maximum",
          "minimum",
          "multiply",
          "negate",
          "power",
          "reduce_precision",
          "remainder",
          "round_nearest_afz",
          "round_nearest_even",
          "rsqrt",
          "sign",
          "sine",
          "sqrt",
          "subtract",
          "tan",
          "tanh");

  /** Ops whose operands and results have the same element type. */
  private static final ImmutableSet<String> SAME =
      ImmutableSet.of(
          "all_gather",
          "all_to_all",
          "collective_broadcast",
          "collective_permute",
          "concatenate",
          "dynamic_slice",
          "dynamic_update_slice",
          "gather",
          "optimization_barrier",
          "pad",
          "reverse",
          "slice");

  /** Ops that may move the quantization dimension. */
  private static final ImmutableSet<String> MOVING =
      ImmutableSet.of("broadcast_in_dim", "reshape", "transpose");

  private static final ImmutableSet<String> UNQUANTIZED =
      ImmutableSet.of("convert", "imag", "real", "triangular_solve");

  /**
   * The type of an operand or a result.
   *
   * @param role the name of the operand or result, for messages
   * @param type its type
   */
  private record TypeInRole(String role, Type type) {
    Optional<Type.Quantized> quantized() {
      return type instanceof Type.Tensor tensor
              && tensor.element() instanceof Type.Quantized element
          ? Optional.of(element)
          : Optional.empty();
    }

    boolean isPerAxis() {
      return quantized().filter(element -> element.axis().isPresent()).isPresent();
    }
  }

  private QuantizationRules() {}

  /** Verifies an operation of StableHLO against these rules. */
  static void check(Operation operation) {
    ImmutableList<TypeInRole> operands = parts("operand ", operation.operands());
    ImmutableList<TypeInRole> results = parts("result ", operation.results());
    String name = operation.name().substring(operation.dialect().length() + 1);
    List<TypeInRole> all = Stream.concat(operands.stream(), results.stream()).toList();
    boolean isConversion = name.equals("uniform_quantize") || name.equals("uniform_dequantize");
    boolean isQuantized = all.stream().anyMatch(part -> part.quantized().isPresent());
    if (!operation.dialect().equals("stablehlo") || !(isQuantized || isConversion)) {
      return;
    }
    all.forEach(QuantizationRules::requireScales);
    if (ELEMENTWISE.contains(name)) {
      requireSameQuantization(all, name.equals("add"));
    } else if (SAME.contains(name)) {
      requireSame(data(all));
    } else if (MOVING.contains(name)) {
      requireSameScales(all);
    } else if (UNQUANTIZED.contains(name)) {
      all.forEach(QuantizationRules::requireUnquantized);
    } else {
      checkOther(name, operands, results);
    }
  }

  private static void checkOther(String name, List<TypeInRole> operands, List<TypeInRole> results) {
    switch (name) {
      case "compare" -> requireSameQuantization(operands, false);
      case "select" -> {
        requireSame(data(operands.subList(1, operands.size())));
        requireSameQuantization(List.of(operands.get(1), results.get(0)), false);
      }
      case "iota" -> results.forEach(QuantizationRules::requireOneScale);
      case "dot_general", "convolution" ->
          requireProduct(operands.get(0), operands.get(1), results.get(0));
      case "uniform_quantize" -> {
        requireQuantized(results.get(0));
        requireExpressed(operands.get(0), results.get(0));
      }
      case "uniform_dequantize" -> {
        requireQuantized(operands.get(0));
        requireUnquantized(results.get(0));
      }
      default -> {}
    }
  }

  private static ImmutableList<TypeInRole> parts(String role, List<Value> values) {
    ImmutableList.Builder<TypeInRole> parts = ImmutableList.builder();
    for (int i = 0; i < values.size(); i++) {
      parts.add(new TypeInRole(role + i, values.get(i).type()));
    }
    return parts.build();
  }

  /** Returns the parts without indices, which are integers in an op with quantized operands. */
  private static List<TypeInRole> data(List<TypeInRole> parts) {
    return parts.stream()
        .filter(part -> part.quantized().isPresent() || !isInteger(part.type()))
        .toList();
  }

  private static boolean isInteger(Type type) {
    return type instanceof Type.Tensor tensor && tensor.element() instanceof Type.Int;
  }

  /** Requires that the number of scales is the size of the quantization dimension. */
  private static void requireScales(TypeInRole part) {
    if (part.isPerAxis()) {
      Type.Tensor tensor = (Type.Tensor) part.type();
      Type.Quantized element = part.quantized().orElseThrow();
      int axis = element.axis().orElseThrow();
      boolean fits =
          axis < tensor.rank()
              && (tensor.sizes().get(axis) == Type.DYNAMIC
                  || tensor.sizes().get(axis) == element.scales().size());
      require(
          fits,
          VERIFY,
          "%s got %s, want a scale for each place of dimension %s",
          part.role(),
          part.type(),
          axis);
    }
  }

  private static void requireQuantized(TypeInRole part) {
    require(
        part.quantized().isPresent(),
        VERIFY,
        "%s got %s, want quantised numbers",
        part.role(),
        part.type());
  }

  private static void requireUnquantized(TypeInRole part) {
    require(
        part.quantized().isEmpty(),
        VERIFY,
        "%s got %s, want numbers that are not quantised",
        part.role(),
        part.type());
  }

  private static void requireOneScale(TypeInRole part) {
    require(
        !part.isPerAxis(), VERIFY, "%s got %s, want one scale for all", part.role(), part.type());
  }

  /**
   * Requires that all parts have the same storage type and the same expressed type, or that none is
   * quantized.
   */
  private static void requireSameQuantization(List<TypeInRole> parts, boolean perAxis) {
    TypeInRole first = parts.get(0);
    for (TypeInRole part : parts) {
      boolean alike =
          part.quantized().isPresent() == first.quantized().isPresent()
              && part.isPerAxis() == first.isPerAxis()
              && part.quantized()
                  .map(Type.Quantized::storage)
                  .equals(first.quantized().map(Type.Quantized::storage))
              && part.quantized()
                  .map(Type.Quantized::expressed)
                  .equals(first.quantized().map(Type.Quantized::expressed));
      require(
          alike,
          VERIFY,
          "%s got %s, want it quantised as %s is, %s, but for scales",
          part.role(),
          part.type(),
          first.role(),
          first.type());
      if (!perAxis) {
        requireOneScale(part);
      }
    }
  }

  private static void requireSame(List<TypeInRole> parts) {
    TypeInRole first = parts.get(0);
    for (TypeInRole part : parts) {
      require(
          part.quantized().equals(first.quantized()),
          VERIFY,
          "%s got %s, want the element type of %s, %s",
          part.role(),
          part.type(),
          first.role(),
          first.type());
      requireOneScale(part);
    }
  }

  /** Requires the same scales and zero points; the quantization dimensions may differ. */
  private static void requireSameScales(List<TypeInRole> parts) {
    requireSameQuantization(parts, true);
    Type.Quantized first = parts.get(0).quantized().orElseThrow();
    for (TypeInRole part : parts) {
      Type.Quantized other = part.quantized().orElseThrow();
      require(
          other.scales().equals(first.scales()) && other.zeroPoints().equals(first.zeroPoints()),
          VERIFY,
          "%s got %s, want the scales and zero points of %s, %s",
          part.role(),
          part.type(),
          parts.get(0).role(),
          parts.get(0).type());
    }
  }

  /**
   * Requires that the right operand is quantized with zero points of 0, and the left operand is
   * quantized if and only if the result is.
   */
  private static void requireProduct(TypeInRole lhs, TypeInRole rhs, TypeInRole result) {
    requireOneScale(lhs);
    requireQuantized(rhs);
    require(
        lhs.quantized().isPresent() == result.quantized().isPresent(),
        VERIFY,
        "%s got %s and %s %s, want both quantised or neither",
        lhs.role(),
        lhs.type(),
        result.role(),
        result.type());
    require(
        rhs.quantized().orElseThrow().zeroPoints().stream().allMatch(point -> point == 0),
        VERIFY,
        "%s got %s, want zero points of 0",
        rhs.role(),
        rhs.type());
    require(
        rhs.isPerAxis() || !result.isPerAxis(),
        VERIFY,
        "%s got %s, want one scale for all as %s, %s",
        result.role(),
        result.type(),
        rhs.role(),
        rhs.type());
    lhs.quantized()
        .ifPresent(left ->
            require(
                left.storage().equals(rhs.quantized().orElseThrow().storage()),
                VERIFY,
                "%s got %s, want the storage type of %s, %s",
                rhs.role(),
                rhs.type(),
                lhs.role(),
                lhs.type()));
    requireExpressed(lhs, rhs);
    requireExpressed(rhs, result);
  }

  /** Requires that two types have the same expressed type, or the unquantized one is that type. */
  private static void requireExpressed(TypeInRole part, TypeInRole other) {
    require(
        expressed(part).equals(expressed(other)),
        VERIFY,
        "%s got %s, want %s numbers as %s, %s",
        other.role(),
        other.type(),
        expressed(part),
        part.role(),
        part.type());
  }

  private static Type expressed(TypeInRole part) {
    return part.quantized()
        .<Type>map(Type.Quantized::expressed)
        .orElseGet(() -> ((Type.Tensor) part.type()).element());
  }
}
