package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.HigherOrder;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/** The conversion of ops with a region that is applied to elements, such as reductions. */
final class RegionExports {
  private RegionExports() {}

  static ImmutableList<Value> values(OpExport op, HigherOrder higherOrder) {
    switch (higherOrder) {
      case Scatter scatter ->
          MovementExports.requireNoneShared(
              scatter.scatterDimsToOperandDims(), scatter.inputBatchingDims());
      case SelectAndScatter scatter when isDilated(scatter.window()) ->
          throw OpExport.unsupported("with a dilated window");
      case SelectAndScatter scatter -> requireForwards(scatter.window());
      case ReduceWindow reduce -> requireForwards(reduce.window());
      default -> {}
    }
    OperationBuilder mirror = op.mirror(higherOrder);
    return switch (higherOrder) {
      case Map _ ->
          mirror
              .with("dimensions", Dims.range(0, OpExport.type(op.value(0)).sizes().size()))
              .emit();
      case Scan scan -> {
        long carries = scan.numCarries();
        yield mirror
            .with("operandSegmentSizes", segments(op.operandCount() - carries, carries))
            .with("resultSegmentSizes", segments(op.types().size() - carries, carries))
            .emit();
      }
      default -> mirror.emit();
    };
  }

  private static boolean isDilated(Window window) {
    return window.baseDilation().concat(window.windowDilation()).stream().anyMatch(d -> d != 1);
  }

  private static void requireForwards(Window window) {
    if (window.reversal().contains(true)) {
      throw OpExport.unsupported("a reversed window");
    }
  }

  private static Attribute segments(long first, long second) {
    return new Attribute.DenseArray(Types.I32, ImmutableList.of(first, second));
  }
}
