package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Written;

/**
 * The attributes of an op as fields of HloInstructionProto: one for each component of its record,
 * named as it is, but for the rows of {@link #PLACES}; {@link FieldCodec} says how each type of
 * component lies there.
 */
final class OpFields {
  /** Where attributes lie that are not fields of their own name: {@code Record.component}. */
  private static final ImmutableMap<String, String> PLACES =
      ImmutableMap.<String, String>builder()
          .put("Parameter.number", "parameter_number")
          .put("Slice.slice", "slice_dimensions")
          .put("Pad.padding", "padding_config")
          .put("Iota.iotaDimension", "dimensions")
          .put("GetTupleElement.index", "tuple_index")
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

  private static final ClassValue<OpFields> OF_RECORD =
      new ClassValue<>() {
        @Override
        protected OpFields computeValue(Class<?> type) {
          return new OpFields(type);
        }
      };

  /**
   * A component of a record.
   *
   * @param component the component
   * @param path where it lies; names of messages, then that of the field
   * @param codec how it lies there; none where it stands in the shape of the result
   */
  record Attribute(
      RecordComponent component, ImmutableList<String> path, Optional<FieldCodec<Object>> codec) {
    @SuppressWarnings("unchecked") // a component's values are of its type
    static Attribute of(Class<?> type, RecordComponent component) {
      boolean inShape =
          isInShape(component.getGenericType()) && !component.isAnnotationPresent(Written.class);
      Optional<FieldCodec<Object>> codec =
          inShape
              ? Optional.empty()
              : Optional.of((FieldCodec<Object>) FieldCodec.of(component.getGenericType()));
      return new Attribute(component, path(type.getSimpleName(), component.getName()), codec);
    }

    /** A scaled dot has the fields of a dot; a ragged one has them one level deeper. */
    private static ImmutableList<String> path(String type, String component) {
      String likeDot = "Dot." + component;
      String place = PLACES.getOrDefault(type + "." + component, "");
      if (place.isEmpty() && type.endsWith("Dot") && PLACES.containsKey(likeDot)) {
        String dot = PLACES.getOrDefault(likeDot, "");
        boolean deeper = type.equals("RaggedDot") && dot.startsWith("dot_");
        place = deeper ? "ragged_dot_dimension_numbers." + dot : dot;
      }
      return place.isEmpty()
          ? ImmutableList.of(CaseFormat.LOWER_CAMEL.to(CaseFormat.LOWER_UNDERSCORE, component))
          : ImmutableList.copyOf(place.split("\\.", -1));
    }

    private static boolean isInShape(Type type) {
      boolean optional =
          type instanceof ParameterizedType generic && generic.getRawType() == Optional.class;
      Type inside = optional ? ((ParameterizedType) type).getActualTypeArguments()[0] : type;
      return inside == ElementType.class || inside == Shape.class || inside == Shape.Array.class;
    }

    /** Whether it is the optional element type of the result. */
    boolean isOptionalElementType() {
      return codec.isEmpty() && component.getType() == Optional.class;
    }

    /** Whether it is a component of this record. */
    boolean isOf(Class<?> type) {
      return component.getDeclaringRecord() == type;
    }

    private String field() {
      return path.get(path.size() - 1);
    }

    /** The value in an instruction. */
    Object read(ProtoMessage instruction) {
      ProtoMessage message = instruction;
      for (String step : path.subList(0, path.size() - 1)) {
        message = message.messageOrEmpty(step);
      }
      return codec.orElseThrow().read().read(message, field());
    }

    private void write(ProtoBuilder instruction, Op op) {
      if (codec.isEmpty()) {
        return;
      }
      ProtoBuilder message = instruction;
      for (String step : path.subList(0, path.size() - 1)) {
        message = message.at(step);
      }
      codec.get().write().write(message, field(), value(op));
    }

    private Object value(Op op) {
      try {
        return component.getAccessor().invoke(op);
      } catch (ReflectiveOperationException broken) {
        throw new LinkageError(op + " has no readable " + component, broken);
      }
    }
  }

  private final Class<?> type;
  private final ImmutableList<Attribute> all;

  private OpFields(Class<?> type) {
    this.type = type;
    this.all =
        Arrays.stream(type.getRecordComponents())
            .map(component -> Attribute.of(type, component))
            .collect(toImmutableList());
  }

  /** The attributes of a record; not for the element-wise ops, which have none. */
  static OpFields of(Class<?> type) {
    return OF_RECORD.get(type);
  }

  ImmutableList<Attribute> all() {
    return all;
  }

  /** Puts the attributes of an op into its instruction, but for the value of a constant. */
  static void write(ProtoBuilder instruction, Op op) {
    if (!(op instanceof Elementwise) && !(op instanceof Constant)) {
      of(op.getClass()).all.forEach(attribute -> attribute.write(instruction, op));
    }
  }

  /**
   * The op of these components.
   *
   * @throws HloException if the op refuses them
   */
  Op create(List<Object> values) {
    try {
      Class<?>[] types =
          Arrays.stream(type.getRecordComponents())
              .map(RecordComponent::getType)
              .toArray(Class<?>[]::new);
      return (Op) type.getDeclaredConstructor(types).newInstance(values.toArray());
    } catch (InvocationTargetException refused) {
      if (refused.getCause() instanceof HloException refusal) {
        throw refusal;
      }
      throw new LinkageError(type + " cannot be made", refused);
    } catch (ReflectiveOperationException broken) {
      throw new LinkageError(type + " cannot be made", broken);
    }
  }
}
