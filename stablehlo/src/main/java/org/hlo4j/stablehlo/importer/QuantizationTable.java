package org.hlo4j.stablehlo.importer;

import java.util.function.Consumer;
import org.hlo4j.stablehlo.mlir.Operation;

/**
 * What each op does with quantized numbers, a row each: the rule that its types obey, and whether
 * it computes with them.
 */
final class QuantizationTable {
  /** What an op is applied to. */
  enum Numbers {
    /** The storage, which is possible as the rule requires one type wherever elements go. */
    STORAGE,
    /** The storage; where the op puts zeros, its results are the number 0. */
    STORAGE_WITH_ZEROS,
    /** The numbers that the storage represents: dequantize, compute, quantize. */
    EXPRESSED
  }

  /**
   * A row of the table.
   *
   * @param numbers what the op is applied to
   * @param rule requires that the types agree
   */
  record Row(Numbers numbers, Consumer<OpTypes> rule) {}

  private QuantizationTable() {}

  /** Returns the row of an op. An op that has none takes no quantized numbers. */
  static Row row(Operation operation) {
    String name = operation.name().substring(operation.name().indexOf('.') + 1);
    return switch (operation.dialect()) {
      case "stablehlo" -> ofStablehlo(name);
      case "chlo" -> ofChlo(name);
      case "sdy" -> storage(QuantizationRules::requireHandedOn);
      case "check" -> storage(types -> QuantizationRules.requireOneType(types.operands()));
      case "func", "interpreter" -> storage(types -> {});
      default -> storage(types -> QuantizationRules.requireUnquantized(types.all()));
    };
  }

  private static Row storage(Consumer<OpTypes> rule) {
    return new Row(Numbers.STORAGE, rule);
  }

  private static Row expressed(Consumer<OpTypes> rule) {
    return new Row(Numbers.EXPRESSED, rule);
  }

  private static Row ofStablehlo(String name) {
    return switch (name) {
      // Scales and zero points may differ.
      case "abs",
          "atan2",
          "batch_norm_grad",
          "batch_norm_inference",
          "batch_norm_training",
          "cbrt",
          "ceil",
          "cholesky",
          "clamp",
          "cosine",
          "cross-replica-sum",
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
          "tanh",
          "unary_einsum" ->
          expressed(types -> QuantizationRules.requireAlike(types.all()));
      case "add" -> expressed(QuantizationRules::requireSum);
      case "compare", "is_finite" -> expressed(QuantizationRules::requirePredicate);
      case "select" -> expressed(QuantizationRules::requireSelection);
      case "iota", "dynamic_iota" -> expressed(QuantizationRules::requireIota);
      case "dot", "einsum" -> expressed(QuantizationRules::requireDot);
      case "dot_general" -> expressed(QuantizationRules::requireDotGeneral);
      case "convolution", "dynamic_conv" -> expressed(QuantizationRules::requireConvolution);
      case "uniform_quantize" -> expressed(QuantizationRules::requireQuantize);
      case "uniform_dequantize" -> expressed(QuantizationRules::requireDequantize);

      // Elements move: one type. Operands behind the first ones are indices and sizes.
      case "concatenate", "reverse", "slice" ->
          storage(types -> QuantizationRules.requireMoved(types, Integer.MAX_VALUE));
      case "dynamic_pad", "dynamic_update_slice", "pad" ->
          storage(types -> QuantizationRules.requireMoved(types, 2));
      case "broadcast",
          "dynamic_gather",
          "dynamic_slice",
          "gather",
          "real_dynamic_slice",
          "set_dimension_size",
          "torch_index_select" ->
          storage(types -> QuantizationRules.requireMoved(types, 1));
      case "all_gather", "all_to_all", "optimization_barrier" ->
          storage(QuantizationRules::requireEachMoved);
      case "collective_broadcast", "collective_permute" ->
          new Row(Numbers.STORAGE_WITH_ZEROS, QuantizationRules::requireEachMoved);
      case "broadcast_in_dim", "dynamic_broadcast_in_dim" ->
          storage(QuantizationRules::requireBroadcast);
      case "dynamic_reshape", "reshape" -> storage(QuantizationRules::requireReshaped);
      case "transpose" -> storage(QuantizationRules::requireTransposed);
      case "get_dimension_size" ->
          storage(types -> QuantizationRules.requireUnquantized(types.results()));

      // A region combines elements.
      case "all_reduce", "collective_reduce", "reduce_scatter" ->
          storage(RegionQuantization::requireReducedAlone);
      case "map" -> storage(RegionQuantization::requireMapped);
      case "reduce", "reduce_window" -> storage(RegionQuantization::requireReduced);
      case "scatter" -> storage(RegionQuantization::requireScattered);
      case "select_and_scatter" -> storage(RegionQuantization::requireSelected);
      case "sort" -> storage(RegionQuantization::requireSorted);

      // A region takes and returns values as they are.
      case "async_start" -> storage(RegionQuantization::requireStarted);
      case "async_done" -> storage(RegionQuantization::requireDone);
      case "case", "if" -> storage(RegionQuantization::requireBranches);
      case "while" -> storage(RegionQuantization::requireLoop);
      case "custom_call" -> storage(QuantizationRules::requireCall);
      case "get_tuple_element" -> storage(QuantizationRules::requireElement);

      // Any types, or types that are compared as a whole.
      case "after_all",
          "bitcast_convert",
          "composite",
          "constant",
          "infeed",
          "outfeed",
          "recv",
          "send",
          "tuple" ->
          storage(types -> {});
      default -> storage(types -> QuantizationRules.requireUnquantized(types.all()));
    };
  }

  private static Row ofChlo(String name) {
    return switch (name) {
      case "broadcast_add", "broadcast_maximum", "broadcast_minimum" ->
          expressed(types -> QuantizationRules.requireAlike(types.all()));
      case "broadcast_atan2",
          "broadcast_divide",
          "broadcast_multiply",
          "broadcast_power",
          "broadcast_remainder",
          "broadcast_subtract" ->
          expressed(types -> QuantizationRules.requireOneType(types.all()));
      case "broadcast_compare" -> expressed(QuantizationRules::requirePredicate);
      case "broadcast_select" -> expressed(QuantizationRules::requireSelection);
      case "constant" -> storage(types -> {});
      case "top_k" -> storage(QuantizationRules::requireTopK);
      default -> storage(types -> QuantizationRules.requireUnquantized(types.all()));
    };
  }
}
