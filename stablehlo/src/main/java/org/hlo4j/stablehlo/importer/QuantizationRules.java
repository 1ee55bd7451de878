package org.hlo4j.stablehlo.importer;

import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Streams;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.hlo4j.hlo.Dims;
import org.hlo4j.stablehlo.importer.QuantizationTable.Numbers;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The constraints on quantized operands and results: which types have to agree, and how far.
 * Source: the constraints of StableHLO's specification, and those of upstream's verifier where it
 * requires more. An op is valid if both accept it.
 */
final class QuantizationRules {
  /** The relations of one op, by their names in {@code quantization.rules}. */
  static final ImmutableMap<String, Consumer<OpTypes>> OF_ONE_OP =
      ImmutableMap.<String, Consumer<OpTypes>>builder()
          .put("product", QuantizationRules::requireProduct)
          .put("contracted", QuantizationRules::requireContracted)
          .put("convolved", QuantizationRules::requireConvolved)
          .put("transposed", QuantizationRules::requireTransposed)
          .put("broadcast", QuantizationRules::requireBroadcast)
          .put("reshaped", QuantizationRules::requireReshaped)
          .put("branches", QuantizationRules::requireBranches)
          .put("element", QuantizationRules::requireElement)
          .put("call", QuantizationRules::requireCall)
          .buildOrThrow();

  private QuantizationRules() {}

  /** Verifies an operation against these rules. */
  static void check(Operation operation) {
    boolean isConversion =
        operation.name().equals("stablehlo.uniform_quantize")
            || operation.name().equals("stablehlo.uniform_dequantize");
    if (isConversion || OpTypes.isQuantized(operation)) {
      OpTypes types = OpTypes.of(operation);
      types.declared().forEach(TypeInRole::requireScales);
      QuantizationTable.row(operation).relations().forEach(relation -> relation.accept(types));
    }
  }

  /** Returns what an op is applied to. */
  static Numbers numbers(Operation operation) {
    return OpTypes.isQuantized(operation)
        ? QuantizationTable.row(operation).numbers()
        : Numbers.STORAGE;
  }

  private static void requireContracted(OpTypes types) {
    TypeInRole rhs = types.operand(1);
    rhs.require(
        rhs.quantized().orElseThrow().zeroPoints().stream().allMatch(point -> point == 0),
        "zero points of 0");
    Dims contracting =
        types.fields().struct("dot_dimension_numbers").ints("rhs_contracting_dimensions");
    rhs.require(
        rhs.axis().isEmpty() || !contracting.contains(rhs.axis().getAsInt()),
        "scales along another dimension than the contracted, " + contracting);
  }

  private static void requireConvolved(OpTypes types) {
    if (types.isNamed("dynamic_conv")) {
      types.all().forEach(TypeInRole::requireOneScale);
    }
    Fields numbers = types.fields().struct("dimension_numbers");
    types
        .operand(1)
        .requireAxis(
            numbers.int32("kernel_output_feature_dimension", 0), "output features of the kernel");
    types.result().requireAxis(numbers.int32("output_feature_dimension", 0), "output features");
  }

  /**
   * Requires that the right operand is quantized, and the left operand if and only if the result
   * is.
   */
  private static void requireProduct(OpTypes types) {
    TypeInRole lhs = types.operand(0);
    TypeInRole rhs = types.operand(1);
    TypeInRole result = types.result();
    types.listed("operands[2:]").forEach(TypeInRole::requireUnquantized);
    lhs.requireOneScale();
    rhs.requireQuantized();
    verify(
        lhs.quantized().isPresent() == result.quantized().isPresent(),
        "%s got %s and %s %s, want both quantized or neither",
        lhs.role(),
        lhs.type(),
        result.role(),
        result.type());
    result.require(rhs.isPerAxis() || !result.isPerAxis(), "one scale for all as", rhs);
    if (lhs.quantized().isPresent()) {
      rhs.requireStorage(lhs);
    }
    rhs.requireExpressed(lhs);
    result.requireExpressed(rhs);
  }

  private static void requireTransposed(OpTypes types) {
    Dims permutation = types.fields().ints("permutation");
    requireMovedAxis(types, axis -> permutation.stream().boxed().toList().indexOf((long) axis));
  }

  /** Scales of the result are compared only if it repeats one. */
  private static void requireBroadcast(OpTypes types) {
    TypeInRole operand = types.operand(0);
    TypeInRole result = types.result();
    Dims dimensions = types.fields().ints("broadcast_dimensions");
    if (!operand.isPerAxis()) {
      result.requireSame(operand);
    } else if (operand.sizeOfAxis() == 1) {
      result.requireRepeatedScale(operand);
    } else {
      result.requireAlikeButAxis(operand);
    }
    requireMovedAxis(types, axis -> axis < dimensions.count() ? dimensions.getInt(axis) : -1);
  }

  /** Requires that the quantization dimension is where the op moves it, which -1 leaves open. */
  private static void requireMovedAxis(OpTypes types, IntUnaryOperator moved) {
    types
        .operand(0)
        .axis()
        .ifPresent(axis -> {
          int to = moved.applyAsInt(axis);
          if (to >= 0) {
            types.result().requireAxis(to, "where dimension " + axis + " of the operand is");
          }
        });
  }

  private static void requireReshaped(OpTypes types) {
    TypeInRole operand = types.operand(0);
    TypeInRole result = types.result();
    if (operand.isPerAxis()) {
      verify(
          mayBeEqual(operand.sizesBeforeAxis(), result.sizesBeforeAxis())
              && mayBeEqual(operand.sizesAfterAxis(), result.sizesAfterAxis()),
          "%s got %s, want as many elements before and after dimension %s as %s, %s, has around"
              + " dimension %s",
          result.role(),
          result.type(),
          result.axis().getAsInt(),
          operand.role(),
          operand.type(),
          operand.axis().getAsInt());
    }
  }

  /** Returns whether products of sizes may be equal, some of which may be unknown. */
  private static boolean mayBeEqual(List<Long> sizes, List<Long> others) {
    return sizes.contains(Type.DYNAMIC)
        || others.contains(Type.DYNAMIC)
        || sizes.stream()
            .reduce(1L, (a, b) -> a * b)
            .equals(others.stream().reduce(1L, (a, b) -> a * b));
  }

  private static void requireBranches(OpTypes types) {
    for (int i = 0; i < types.operation().regions().size(); i++) {
      Streams.forEachPair(
          types.returned(i).stream(), types.results().stream(), TypeInRole::requireSame);
    }
  }

  private static void requireElement(OpTypes types) {
    long index = types.fields().int64("index");
    if (types.operand(0).type() instanceof Type.Tuple tuple
        && index >= 0
        && index < tuple.elements().size()) {
      TypeInRole element =
          new TypeInRole("element " + index + " of operand 0", tuple.elements().get((int) index));
      types.result().requireSame(element);
    }
  }

  /** Requires numbers that are not quantized of a call that is lowered to an op. */
  private static void requireCall(OpTypes types) {
    String target = types.fields().string("call_target_name");
    if (CheckLowerings.isCheck(target)) {
      QuantizationTable.relation("one_type(operands)").accept(types);
    } else if (CustomCalls.isOp(target)) {
      types.all().forEach(TypeInRole::requireUnquantized);
    }
  }
}
