package org.hlo4j.hlo.schema;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.reflect.RecordComponent;

/**
 * The fields of HloInstructionProto for the attributes of ops. A field has the attribute's name,
 * except for the entries here.
 */
final class FieldPaths {
  /** The paths of attributes whose field has another name, by {@code Record.component}. */
  private static final ImmutableMap<String, String> PLACES =
      ImmutableMap.<String, String>builder()
          .put("Parameter.number", "parameter_number")
          .put("Slice.slice", "slice_dimensions")
          .put("Pad.padding", "padding_config")
          .put("Iota.iotaDimension", "dimensions")
          .put("GetTupleElement.index", "tuple_index")
          .put("AsyncStart.outputToOperandAliasing", "output_operand_aliasing")
          .put("Fusion.kind", "fusion_kind")
          .put("Fusion.outputToOperandAliasing", "output_operand_aliasing")
          .put("Compare.direction", "comparison_direction")
          .put("Compare.type", "comparison_type")
          .put("Domain.domain", "domain_entry_sharding")
          .put("RngBitGenerator.algorithm", "rng_algorithm")
          .put("Convolution.dimLabels", "convolution_dimension_numbers")
          .put("Convolution.operandPrecision", "precision_config.operand_precision")
          .put("CustomCall.operandLayoutConstraints", "operand_shapes_with_layout")
          .put("CustomCall.outputToOperandAliasing", "output_operand_aliasing")
          .put("CustomCall.schedule", "custom_call_schedule")
          .put("CustomCall.apiVersion", "custom_call_api_version")
          .put("Dot.lhsBatchDims", "dot_dimension_numbers.lhs_batch_dimensions")
          .put("Dot.lhsContractingDims", "dot_dimension_numbers.lhs_contracting_dimensions")
          .put("Dot.rhsBatchDims", "dot_dimension_numbers.rhs_batch_dimensions")
          .put("Dot.rhsContractingDims", "dot_dimension_numbers.rhs_contracting_dimensions")
          .put("Dot.operandPrecision", "precision_config.operand_precision")
          .put("Dot.algorithm", "precision_config.algorithm")
          .put("RaggedDot.lhsRaggedDims", "ragged_dot_dimension_numbers.lhs_ragged_dimensions")
          .put("RaggedDot.rhsGroupDims", "ragged_dot_dimension_numbers.rhs_group_dimensions")
          .put("Gather.offsetDims", "gather_dimension_numbers.offset_dims")
          .put("Gather.collapsedSliceDims", "gather_dimension_numbers.collapsed_slice_dims")
          .put("Gather.startIndexMap", "gather_dimension_numbers.start_index_map")
          .put("Gather.operandBatchingDims", "gather_dimension_numbers.operand_batching_dims")
          .put(
              "Gather.startIndicesBatchingDims",
              "gather_dimension_numbers.start_indices_batching_dims")
          .put("Gather.indexVectorDim", "gather_dimension_numbers.index_vector_dim")
          .put("CollectivePermute.sliceSizes", "dynamic_slice_sizes")
          .put("CollectivePermuteStart.sliceSizes", "dynamic_slice_sizes")
          .put("Gather.sliceSizes", "gather_slice_sizes")
          .put("Scatter.updateWindowDims", "scatter_dimension_numbers.update_window_dims")
          .put("Scatter.insertedWindowDims", "scatter_dimension_numbers.inserted_window_dims")
          .put(
              "Scatter.scatterDimsToOperandDims",
              "scatter_dimension_numbers.scatter_dims_to_operand_dims")
          .put("Scatter.inputBatchingDims", "scatter_dimension_numbers.input_batching_dims")
          .put(
              "Scatter.scatterIndicesBatchingDims",
              "scatter_dimension_numbers.scatter_indices_batching_dims")
          .put("Scatter.indexVectorDim", "scatter_dimension_numbers.index_vector_dim")
          .put("TriangularSolve.leftSide", "triangular_solve_options.left_side")
          .put("TriangularSolve.lower", "triangular_solve_options.lower")
          .put("TriangularSolve.unitDiagonal", "triangular_solve_options.unit_diagonal")
          .put("TriangularSolve.transposeA", "triangular_solve_options.transpose_a")
          .put("Cholesky.lower", "cholesky_options.lower")
          .buildOrThrow();

  private FieldPaths() {}

  /**
   * Returns the path of an attribute: the names of messages, then that of the field. A scaled dot
   * has the fields of a dot; a ragged one has them one level deeper.
   */
  static ImmutableList<String> of(RecordComponent component, String name) {
    String type = component.getDeclaringRecord().getSimpleName();
    String likeDot = "Dot." + component.getName();
    String place = PLACES.getOrDefault(type + "." + component.getName(), "");
    if (place.isEmpty() && type.endsWith("Dot") && PLACES.containsKey(likeDot)) {
      String dot = PLACES.getOrDefault(likeDot, "");
      boolean deeper = type.equals("RaggedDot") && dot.startsWith("dot_");
      place = deeper ? "ragged_dot_dimension_numbers." + dot : dot;
    }
    return place.isEmpty() ? ImmutableList.of(name) : ImmutableList.copyOf(place.split("\\.", -1));
  }
}
