package org.hlo4j.stablehlo.importer;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import java.util.function.Consumer;
import org.hlo4j.stablehlo.dialect.OpDefinition;
import org.hlo4j.stablehlo.dialect.OpTable;
import org.hlo4j.stablehlo.mlir.Operation;

/**
 * What ops do with quantized numbers, a row for each kind: the rule that their types obey, and
 * whether they compute with them. {@code stablehlo.ops} says which op is of which kind.
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

  /** The rules by the names that {@code stablehlo.ops} gives them. */
  private static final ImmutableMap<String, Row> ROWS =
      ImmutableMap.<String, Row>builder()
          .put("", storage(types -> QuantizationRules.requireUnquantized(types.all())))
          // Scales and zero points may differ.
          .put("alike", expressed(types -> QuantizationRules.requireAlike(types.all())))
          .put("one_type", expressed(types -> QuantizationRules.requireOneType(types.all())))
          .put("sum", expressed(QuantizationRules::requireSum))
          .put("predicate", expressed(QuantizationRules::requirePredicate))
          .put("selection", expressed(QuantizationRules::requireSelection))
          .put("iota", expressed(QuantizationRules::requireIota))
          .put("dot", expressed(QuantizationRules::requireDot))
          .put("dot_general", expressed(QuantizationRules::requireDotGeneral))
          .put("convolution", expressed(QuantizationRules::requireConvolution))
          .put("quantize", expressed(QuantizationRules::requireQuantize))
          .put("dequantize", expressed(QuantizationRules::requireDequantize))
          // Elements move: one type. Operands behind the first ones are indices and sizes.
          .put("moved", storage(types -> QuantizationRules.requireMoved(types, Integer.MAX_VALUE)))
          .put("moved2", storage(types -> QuantizationRules.requireMoved(types, 2)))
          .put("moved1", storage(types -> QuantizationRules.requireMoved(types, 1)))
          .put("each_moved", storage(QuantizationRules::requireEachMoved))
          .put("sent", new Row(Numbers.STORAGE_WITH_ZEROS, QuantizationRules::requireEachMoved))
          .put("broadcast", storage(QuantizationRules::requireBroadcast))
          .put("reshaped", storage(QuantizationRules::requireReshaped))
          .put("transposed", storage(QuantizationRules::requireTransposed))
          .put("size", storage(types -> QuantizationRules.requireUnquantized(types.results())))
          // A region combines elements.
          .put("reduced_alone", storage(RegionQuantization::requireReducedAlone))
          .put("mapped", storage(RegionQuantization::requireMapped))
          .put("reduced", storage(RegionQuantization::requireReduced))
          .put("scattered", storage(RegionQuantization::requireScattered))
          .put("selected", storage(RegionQuantization::requireSelected))
          .put("sorted", storage(RegionQuantization::requireSorted))
          // A region takes and returns values as they are.
          .put("started", storage(RegionQuantization::requireStarted))
          .put("done", storage(RegionQuantization::requireDone))
          .put("branches", storage(RegionQuantization::requireBranches))
          .put("loop", storage(RegionQuantization::requireLoop))
          .put("call", storage(QuantizationRules::requireCall))
          .put("tuple_element", storage(QuantizationRules::requireElement))
          // Any types, or types that are compared as a whole.
          .put("any", storage(types -> {}))
          .put("top_k", storage(QuantizationRules::requireTopK))
          .put("handed_on", storage(QuantizationRules::requireHandedOn))
          .put("compared", storage(types -> QuantizationRules.requireOneType(types.operands())))
          .buildOrThrow();

  private QuantizationTable() {}

  /** Returns the row of an op. An op that has none takes no quantized numbers. */
  static Row row(Operation operation) {
    String rule = OpTable.find(operation.name()).map(OpDefinition::quantization).orElse("");
    return requireNonNull(ROWS.get(rule), rule);
  }

  private static Row storage(Consumer<OpTypes> rule) {
    return new Row(Numbers.STORAGE, rule);
  }

  private static Row expressed(Consumer<OpTypes> rule) {
    return new Row(Numbers.EXPRESSED, rule);
  }
}
