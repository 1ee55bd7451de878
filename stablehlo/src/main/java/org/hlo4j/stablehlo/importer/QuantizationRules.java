package org.hlo4j.stablehlo.importer;

import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import java.util.List;
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
  private QuantizationRules() {}

  /** Verifies an operation against these rules. */
  static void check(Operation operation) {
    boolean isConversion =
        operation.name().equals("stablehlo.uniform_quantize")
            || operation.name().equals("stablehlo.uniform_dequantize");
    if (isConversion || OpTypes.isQuantized(operation)) {
      OpTypes types = OpTypes.of(operation);
      types.declared().forEach(TypeInRole::requireScales);
      QuantizationTable.row(operation).rule().accept(types);
    }
  }

  /** Returns what an op is applied to. */
  static Numbers numbers(Operation operation) {
    return OpTypes.isQuantized(operation)
        ? QuantizationTable.row(operation).numbers()
        : Numbers.STORAGE;
  }

  static void requireUnquantized(List<TypeInRole> parts) {
    parts.forEach(TypeInRole::requireUnquantized);
  }

  /** Requires one scale each, and types that differ in scales and zero points only. */
  static void requireAlike(List<TypeInRole> parts) {
    for (TypeInRole part : parts) {
      part.requireAlike(parts.get(0));
      part.requireOneScale();
    }
  }

  /** Requires one scale each, and the same type. */
  static void requireOneType(List<TypeInRole> parts) {
    for (TypeInRole part : parts) {
      part.requireSame(parts.get(0));
      part.requireOneScale();
    }
  }

  // add C2 to C7; upstream infers the result from the left operand
  static void requireSum(OpTypes types) {
    TypeInRole lhs = types.operand(0);
    TypeInRole rhs = types.operand(1);
    rhs.requireSameNumbers(lhs);
    rhs.requireSameAxis(types.result());
    types.result().requireAlike(lhs);
  }

  // compare C1, is_finite I1
  static void requirePredicate(OpTypes types) {
    requireAlike(types.operands());
    requireUnquantized(types.results());
  }

  // select C2
  static void requireSelection(OpTypes types) {
    requireUnquantized(types.operands(0, 1));
    requireOneType(types.operands(1, 3));
    requireAlike(List.of(types.operand(1), types.result()));
  }

  // iota, dynamic_iota
  static void requireIota(OpTypes types) {
    requireUnquantized(types.operands());
    types.results().forEach(TypeInRole::requireOneScale);
  }

  // uniform_quantize C2
  static void requireQuantize(OpTypes types) {
    types.result().requireQuantized();
    types.result().requireExpressed(types.operand(0));
  }

  // uniform_dequantize C2
  static void requireDequantize(OpTypes types) {
    types.operand(0).requireQuantized();
    requireUnquantized(types.results());
  }

  // The specification does not have it; upstream's verifier compares no types.
  static void requireDot(OpTypes types) {
    types.operand(0).requireOneScale();
    types.operand(1).requireExpressed(types.operand(0));
    types.result().requireExpressed(types.operand(1));
  }

  // dot_general C14 to C20
  static void requireDotGeneral(OpTypes types) {
    TypeInRole rhs = types.operand(1);
    requireProduct(types);
    rhs.require(
        rhs.quantized().orElseThrow().zeroPoints().stream().allMatch(point -> point == 0),
        "zero points of 0");
    Dims contracting =
        types.fields().struct("dot_dimension_numbers").ints("rhs_contracting_dimensions");
    rhs.require(
        rhs.axis().isEmpty() || !contracting.contains(rhs.axis().getAsInt()),
        "scales along another dimension than the contracted, " + contracting);
  }

  // convolution C28 to C34
  static void requireConvolution(OpTypes types) {
    requireProduct(types);
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
    requireUnquantized(types.operands(2, types.operands().size()));
    lhs.requireOneScale();
    rhs.requireQuantized();
    verify(
        lhs.quantized().isPresent() == result.quantized().isPresent(),
        "%s got %s and %s %s, want both quantised or neither",
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

  /** Requires one type of the first operands and the results; other operands are not quantized. */
  static void requireMoved(OpTypes types, int operands) {
    requireUnquantized(types.operands(operands, Integer.MAX_VALUE));
    requireOneType(
        ImmutableList.copyOf(Iterables.concat(types.operands(0, operands), types.results())));
  }

  /** Requires one scale each, and that a result has the type of the operand of its number. */
  static void requireEachMoved(OpTypes types) {
    types.operands().forEach(TypeInRole::requireOneScale);
    requireHandedOn(types);
  }

  /**
   * Requires that a result has the type of the operand of its number; if there is a region between
   * them, that it takes the operands and returns the results.
   */
  static void requireHandedOn(OpTypes types) {
    requireUnquantized(types.operands(types.results().size(), Integer.MAX_VALUE));
    boolean hasRegion = !types.operation().regions().isEmpty();
    TypeInRole.requireSame(hasRegion ? types.arguments(0) : types.results(), types.operands());
    TypeInRole.requireSame(types.results(), hasRegion ? types.returned(0) : types.operands());
  }

  // transpose C1, C4
  static void requireTransposed(OpTypes types) {
    types.result().requireSameScales(types.operand(0));
    Dims permutation = types.fields().ints("permutation");
    requireMovedAxis(types, axis -> permutation.stream().boxed().toList().indexOf((long) axis));
  }

  // broadcast_in_dim C1, C6: other scales of the result are compared only if it repeats one
  static void requireBroadcast(OpTypes types) {
    requireUnquantized(types.operands(1, Integer.MAX_VALUE));
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

  // reshape C1, C3
  static void requireReshaped(OpTypes types) {
    requireUnquantized(types.operands(1, Integer.MAX_VALUE));
    TypeInRole operand = types.operand(0);
    TypeInRole result = types.result();
    result.requireSameScales(operand);
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

  // get_tuple_element C2
  static void requireElement(OpTypes types) {
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
  static void requireCall(OpTypes types) {
    String target = types.fields().string("call_target_name");
    if (CheckLowerings.isCheck(target)) {
      requireOneType(types.operands());
    } else if (CustomCalls.isOp(target)) {
      requireUnquantized(types.all());
    }
  }

  /** Scales are positive, so that the storage is in the order of the numbers. */
  static void requireTopK(OpTypes types) {
    requireOneType(
        ImmutableList.copyOf(
            Iterables.concat(types.operands(), Iterables.limit(types.results(), 1))));
    requireUnquantized(types.results().stream().skip(1).toList());
  }
}
