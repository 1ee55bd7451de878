package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The lowering of ops with a region that combines scalars. If the region works on a wider type than
 * the operands, the operands are converted first.
 */
final class ReductionLowerings {
  private ReductionLowerings() {}

  static void addTo(Lowerings table) {
    table
        .many("stablehlo.reduce", op -> op.results(op.emitMirrored(promoted(op, inputCount(op)))))
        .checkedBy(ReductionLowerings::checkReduce)
        .onlyCheckedIf(ReductionLowerings::isOfArrays);
    table
        .many("stablehlo.reduce_window", ReductionLowerings::reduceWindow)
        .checkedBy(ReductionLowerings::checkReduceWindow)
        .onlyCheckedIf(ReductionLowerings::isOfArrays);
    table.one("stablehlo.select_and_scatter", ReductionLowerings::selectAndScatter);
    table.many("stablehlo.scatter", ReductionLowerings::scatter);
    table.mirror("stablehlo.map").checkedBy(ReductionLowerings::checkMap);
    table.mirror("stablehlo.sort", op -> Map.of("dimensions", sortedDimension(op)));
  }

  /** Returns the element types of the region's accumulators. */
  private static List<Type> accumulated(OpImport op, int region, int count) {
    List<Type> types = op.argumentTypes(region);
    verify(types.size() == 2 * count, "region takes %s values, want %s", types.size(), 2 * count);
    return types.subList(0, count);
  }

  /** Returns inputs and as many initial values, converted to the types of the accumulators. */
  private static ImmutableList<HloInstruction> promoted(OpImport op, int count) {
    List<Type> types = accumulated(op, 0, count);
    return ImmutableList.copyOf(Iterables.concat(op.promoted(0, types), op.promoted(count, types)));
  }

  private static int inputCount(OpImport op) {
    verify(
        op.operandCount() % 2 == 0 && op.operandCount() > 0,
        "operands got %s, want as many inputs as initial values",
        op.operandCount());
    return op.operandCount() / 2;
  }

  private static void checkReduce(OpImport op) {
    int count = inputCount(op);
    Dims dimensions = op.fields().ints("dimensions");
    List<Long> kept = new ArrayList<>(op.operandTensor(0).sizes());
    for (int i = kept.size() - 1; i >= 0; i--) {
      if (dimensions.contains(i)) {
        kept.remove(i);
      }
    }
    requireReducer(op, "reduce C6", count, kept);
  }

  private static void checkReduceWindow(OpImport op) {
    int count = inputCount(op);
    Dims sizes = op.fields().ints("window_dimensions");
    window(op, sizes);
    requireReducer(op, "reduce_window C13", count, sizes.stream().boxed().toList());
  }

  private static ImmutableList<HloInstruction> reduceWindow(OpImport op) {
    Window window = window(op, op.fields().ints("window_dimensions"));
    return op.results(op.emitMirrored(promoted(op, inputCount(op)), Map.of("window", window)));
  }

  /**
   * Requires that the region is a valid reducer; the operands are inputs followed by as many
   * initial values.
   */
  private static void requireReducer(OpImport op, String label, int count, List<Long> allowed) {
    RegionRules.requireReducer(
        op, 0, label, op.operandTensors(0, count), op.operandTensors(count, 2 * count), allowed);
  }

  /**
   * Returns whether the region works on arrays. Such an op can be verified, but HLO's reducers take
   * only scalars.
   */
  private static boolean isOfArrays(OpImport op) {
    return RegionRules.tensors(RegionRules.arguments(op.block(0)), "argument of the region")
        .stream()
        .anyMatch(tensor -> tensor.rank() > 0);
  }

  static Window window(OpImport op, Dims sizes) {
    return window(op, sizes, padding(op, sizes.count()), "base_dilations", "window_dilations");
  }

  /** Returns the window of a reduction or of a convolution; by default it is dense. */
  static Window window(
      OpImport op, Dims sizes, List<Dims> padding, String baseDilation, String windowDilation) {
    int rank = sizes.count();
    return new Window(
        sizes,
        op.fields().ints("window_strides", rank, 1),
        padding.get(0),
        padding.get(1),
        op.fields().ints(baseDilation, rank, 1),
        op.fields().ints(windowDilation, rank, 1),
        op.fields().ints("window_reversal", rank, 0).stream()
            .mapToObj(each -> each != 0)
            .collect(toImmutableList()));
  }

  /** Returns the low and the high padding of each dimension. */
  static List<Dims> padding(OpImport op, int rank) {
    ImmutableList<Dims> rows = op.fields().pairs("padding", "");
    if (rows.isEmpty()) {
      return List.of(Dims.filled(rank, 0), Dims.filled(rank, 0));
    }
    verify(rows.size() == rank, "padding got %s, want %s pairs", rows, rank);
    return List.of(
        Dims.copyOf(rows.stream().map(row -> row.get(0)).toList()),
        Dims.copyOf(rows.stream().map(row -> row.get(1)).toList()));
  }

  private static HloInstruction selectAndScatter(OpImport op) {
    Shape.Array operand = op.array(0);
    RegionRules.requireSelect(op, 0, "select_and_scatter C9", op.operandTensor(0));
    RegionRules.requireReducer(
        op,
        1,
        "select_and_scatter C10",
        List.of(RegionRules.scalar(op.operandTensor(1).element())),
        List.of(op.operandTensor(2)),
        List.of());
    Dims sizes =
        op.fields().has("window_dimensions")
            ? op.fields().ints("window_dimensions")
            : Dims.filled(operand.rank(), 1);
    require(
        operand.elementType().isFloating()
            ? op.array(1).elementType().isFloating()
            : operand.elementType() == op.array(1).elementType(),
        "select_and_scatter C1",
        "source got %s, want the element type of operand, %s",
        op.array(1),
        operand);
    Window window = window(op, sizes);
    Type accumulator = accumulated(op, 1, 1).get(0);
    ElementType type = Shapes.elementType(accumulator);
    List<Shape> compared = Collections.nCopies(2, Shape.of(type));
    HloComputation select =
        op.target()
            .region(op.operation(), op.block(0), "select", compared, Collections.nCopies(2, null));
    HloComputation scatter = op.region(1, "scatter_body");
    List<HloInstruction> operands = new ArrayList<>();
    // Only the order of its elements matters: select compares them in their own type.
    operands.add(op.converted(op.operand(0), type));
    operands.addAll(op.promoted(1, List.of(accumulator, accumulator)));
    return op.emit(new SelectAndScatter(window), operands, List.of(select, scatter));
  }

  private static ImmutableList<HloInstruction> scatter(OpImport op) {
    int count = (op.operandCount() - 1) / 2;
    verify(
        op.operandCount() == 2 * count + 1 && count > 0,
        "operands got %s, want inputs, indices and as many updates",
        op.operandCount());
    RegionRules.requireReducer(
        op,
        0,
        "scatter C23",
        op.operandTensors(0, count),
        op.operandTensors(count + 1, 2 * count + 1).stream()
            .map(update -> RegionRules.scalar(update.element()))
            .toList(),
        List.of());
    List<Type> types = accumulated(op, 0, count);
    List<HloInstruction> operands = new ArrayList<>(op.promoted(0, types));
    operands.add(op.operand(count));
    operands.addAll(op.promoted(count + 1, types));
    MovementLowerings.requireNoneShared(
        op.fields().struct("scatter_dimension_numbers"),
        "scatter C20",
        "scatter_dims_to_operand_dims",
        "input_batching_dims");
    return op.results(op.emitMirrored(operands));
  }

  private static void checkMap(OpImport op) {
    Dims dimensions = op.fields().ints("dimensions");
    require(
        op.operandCount() == 0 || dimensions.equals(Dims.range(0, op.array(0).rank())),
        "map C3",
        "dimensions got %s, want all dimensions of %s in order",
        dimensions,
        op.operandCount() == 0 ? "the operands" : op.array(0));
  }

  private static Dims sortedDimension(OpImport op) {
    long dimension = op.fields().int64("dimension", -1);
    int rank = op.array(0).rank();
    return Dims.of(dimension < 0 && dimension >= -rank ? dimension + rank : dimension);
  }
}
