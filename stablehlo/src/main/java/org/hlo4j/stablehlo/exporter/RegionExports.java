package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.HigherOrder;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.stablehlo.dialect.StructBuilder;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/** The conversion of ops with a region that is applied to elements, such as reductions. */
final class RegionExports {
  private RegionExports() {}

  static ImmutableList<Value> values(OpExport op, HigherOrder higherOrder) {
    return switch (higherOrder) {
      case Map map ->
          op.newOperation("stablehlo.map")
              .with("dimensions", Dims.range(0, OpExport.type(op.value(0)).sizes().size()))
              .with(op.region(0))
              .emit();
      case Reduce reduce ->
          op.newOperation("stablehlo.reduce")
              .with("dimensions", reduce.dimensions())
              .with(op.region(0))
              .emit();
      case ReduceWindow reduce ->
          windowed(op, "stablehlo.reduce_window", reduce.window())
              .with("base_dilations", AttributeFactory.unlessOnes(reduce.window().baseDilation()))
              .with(
                  "window_dilations", AttributeFactory.unlessOnes(reduce.window().windowDilation()))
              .with(op.region(0))
              .emit();
      case Scan scan -> scan(op, scan);
      case Scatter scatter -> scatter(op, scatter);
      case SelectAndScatter scatter when isDilated(scatter.window()) ->
          throw OpExport.unsupported("with a dilated window");
      case SelectAndScatter scatter ->
          windowed(op, "stablehlo.select_and_scatter", scatter.window())
              .with(op.region(0))
              .with(op.region(1))
              .emit();
      case Sort sort ->
          op.newOperation("stablehlo.sort")
              .with("dimension", sort.dimensions().get(0))
              .with("is_stable", sort.isStable())
              .with(op.region(0))
              .emit();
    };
  }

  private static boolean isDilated(Window window) {
    return window.baseDilation().concat(window.windowDilation()).stream().anyMatch(d -> d != 1);
  }

  private static OperationBuilder windowed(OpExport op, String name, Window window) {
    if (window.reversal().contains(true)) {
      throw OpExport.unsupported("a reversed window");
    }
    return op.newOperation(name)
        .with("window_dimensions", window.sizes())
        .with("window_strides", AttributeFactory.unlessOnes(window.strides()))
        .with("padding", AttributeFactory.padding(window.paddingLow(), window.paddingHigh()));
  }

  private static ImmutableList<Value> scatter(OpExport op, Scatter scatter) {
    MovementExports.requireNoneShared(
        scatter.scatterDimsToOperandDims(), scatter.inputBatchingDims());
    return op.newOperation("stablehlo.scatter")
        .with(
            "scatter_dimension_numbers",
            new StructBuilder("scatter")
                .with("update_window_dims", AttributeFactory.list(scatter.updateWindowDims()))
                .with("inserted_window_dims", AttributeFactory.list(scatter.insertedWindowDims()))
                .with("input_batching_dims", AttributeFactory.list(scatter.inputBatchingDims()))
                .with(
                    "scatter_indices_batching_dims",
                    AttributeFactory.list(scatter.scatterIndicesBatchingDims()))
                .with(
                    "scatter_dims_to_operand_dims",
                    AttributeFactory.list(scatter.scatterDimsToOperandDims()))
                .with("index_vector_dim", scatter.indexVectorDim())
                .build())
        .with("indices_are_sorted", scatter.indicesAreSorted())
        .with("unique_indices", scatter.uniqueIndices())
        .with(op.region(0))
        .emit();
  }

  private static ImmutableList<Value> scan(OpExport op, Scan scan) {
    long carries = scan.numCarries();
    return op.newOperation("chlo.scan")
        .with("dimension", scan.dimensions().get(0))
        .with("is_reverse", scan.isReverse())
        .with(
            "is_associative",
            scan.isAssociative() ? Optional.of(Attribute.Int.bool(true)) : Optional.empty())
        .with("operandSegmentSizes", segments(op.operandCount() - carries, carries))
        .with("resultSegmentSizes", segments(op.types().size() - carries, carries))
        .with(op.region(0))
        .emit();
  }

  private static Attribute segments(long first, long second) {
    return new Attribute.DenseArray(Types.I32, ImmutableList.of(first, second));
  }
}
