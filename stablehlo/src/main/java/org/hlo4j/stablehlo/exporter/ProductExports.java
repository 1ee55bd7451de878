package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Ascii;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DotAlgorithm;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.stablehlo.dialect.StructBuilder;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/** The conversion of dots and convolutions. */
final class ProductExports {
  private ProductExports() {}

  static ImmutableList<Value> values(OpExport op, Contraction contraction) {
    return switch (contraction) {
      case Dot dot -> dot(op, dot);
      case Convolution convolution -> convolution(op, convolution);
      case RaggedDot dot -> raggedDot(op, dot);
      case ScaledDot dot -> ScaledDotExport.values(op, dot);
    };
  }

  private static ImmutableList<Value> dot(OpExport op, Dot dot) {
    return op.newOperation("stablehlo.dot_general")
        .with(
            "dot_dimension_numbers",
            new StructBuilder("dot")
                .with("lhs_batching_dimensions", AttributeFactory.list(dot.lhsBatchDims()))
                .with("rhs_batching_dimensions", AttributeFactory.list(dot.rhsBatchDims()))
                .with("lhs_contracting_dimensions", AttributeFactory.list(dot.lhsContractingDims()))
                .with("rhs_contracting_dimensions", AttributeFactory.list(dot.rhsContractingDims()))
                .build())
        .with("precision_config", precision("stablehlo", dot.operandPrecision()))
        .with("algorithm", dot.algorithm().map(algorithm -> algorithm(op, algorithm)))
        .emit();
  }

  private static Optional<Attribute> precision(String dialect, List<Dot.Precision> precision) {
    return precision.isEmpty()
        ? Optional.empty()
        : Optional.of(
            AttributeFactory.array(
                precision.stream()
                    .map(each -> new Attribute.Word(dialect, "precision", each.name()))
                    .toList()));
  }

  /** Returns the parts of an algorithm's name, such as {@code dot_bf16_bf16_f32_x3}. */
  private static Attribute algorithm(OpExport op, DotAlgorithm algorithm) {
    String name = Ascii.toLowerCase(algorithm.name()).replace("any_f8", "any");
    List<String> parts = Splitter.on('_').splitToList(name);
    boolean several = parts.size() > 4 && parts.get(4).startsWith("x");
    return new StructBuilder("dot_algorithm")
        .with("lhs_precision_type", precisionType(op, 0, parts.get(1)))
        .with("rhs_precision_type", precisionType(op, 1, parts.get(2)))
        .with("accumulation_type", new Attribute.OfType(new Type.Floating(parts.get(3))))
        .with("lhs_component_count", 1)
        .with("rhs_component_count", 1)
        .with("num_primitive_operations", several ? Long.parseLong(parts.get(4).substring(1)) : 1)
        .with("allow_imprecise_accumulation", Attribute.Int.bool(name.endsWith("_fast_accum")))
        .build();
  }

  /**
   * Returns a type; any of 8 bits is that of the operand, or if that is no type of products,
   * f8E5M2.
   */
  private static Attribute precisionType(OpExport op, int operand, String name) {
    Type element = OpExport.type(op.value(operand)).element();
    boolean isAny = name.equals("any");
    boolean hasEightBits =
        element.toString().startsWith("f8") && !element.toString().equals("f8E8M0FNU");
    return new Attribute.OfType(
        isAny && hasEightBits ? element : new Type.Floating(isAny ? "f8E5M2" : name));
  }

  private static ImmutableList<Value> raggedDot(OpExport op, RaggedDot dot) {
    ImmutableMap.Builder<String, Attribute> numbers = ImmutableMap.builder();
    ImmutableMap.of(
            "lhs_batching_dimensions", dot.lhsBatchDims(),
            "rhs_batching_dimensions", dot.rhsBatchDims(),
            "lhs_contracting_dimensions", dot.lhsContractingDims(),
            "rhs_contracting_dimensions", dot.rhsContractingDims(),
            "lhs_ragged_dimensions", dot.lhsRaggedDims(),
            "rhs_group_dimensions", dot.rhsGroupDims())
        .forEach((name, dims) -> {
          if (!dims.isEmpty()) {
            numbers.put(name, AttributeFactory.ints(dims));
          }
        });
    return op.newOperation("chlo.ragged_dot")
        .with(
            "ragged_dot_dimension_numbers",
            new Attribute.Struct("chlo", "ragged_dot", numbers.buildOrThrow()))
        .with("precision_config", precision("chlo", dot.operandPrecision()))
        .emit();
  }

  private static ImmutableList<Value> convolution(OpExport op, Convolution convolution) {
    Window window = convolution.window();
    return op.newOperation("stablehlo.convolution")
        .with("window_strides", AttributeFactory.unlessOnes(window.strides()))
        .with("padding", AttributeFactory.padding(window.paddingLow(), window.paddingHigh()))
        .with("lhs_dilation", AttributeFactory.unlessOnes(window.baseDilation()))
        .with("rhs_dilation", AttributeFactory.unlessOnes(window.windowDilation()))
        .with("window_reversal", reversal(window))
        .with("dimension_numbers", numbers(convolution.dimLabels()))
        .with("feature_group_count", convolution.featureGroupCount())
        .with("batch_group_count", convolution.batchGroupCount())
        .with("precision_config", precision("stablehlo", convolution.operandPrecision()))
        .emit();
  }

  private static Optional<Attribute> reversal(Window window) {
    return !window.reversal().contains(true)
        ? Optional.empty()
        : Optional.of(
            new Attribute.DenseArray(
                Types.I1,
                window.reversal().stream()
                    .map(reversed -> reversed ? 1L : 0L)
                    .collect(toImmutableList())));
  }

  private static Attribute numbers(ConvolutionDimensionNumbers numbers) {
    return new StructBuilder("conv")
        .with("input_batch_dimension", numbers.inputBatchDimension())
        .with("input_feature_dimension", numbers.inputFeatureDimension())
        .with("input_spatial_dimensions", AttributeFactory.list(numbers.inputSpatialDimensions()))
        .with("kernel_input_feature_dimension", numbers.kernelInputFeatureDimension())
        .with("kernel_output_feature_dimension", numbers.kernelOutputFeatureDimension())
        .with("kernel_spatial_dimensions", AttributeFactory.list(numbers.kernelSpatialDimensions()))
        .with("output_batch_dimension", numbers.outputBatchDimension())
        .with("output_feature_dimension", numbers.outputFeatureDimension())
        .with("output_spatial_dimensions", AttributeFactory.list(numbers.outputSpatialDimensions()))
        .build();
  }
}
