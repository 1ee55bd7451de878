package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Window;

/**
 * Ops with a region that combines scalars. Where the region works on a wider type than the
 * operands, they are converted first.
 */
final class ReductionLowerings {
  private ReductionLowerings() {}

  static void addTo(Lowerings table) {
    table.many("stablehlo.reduce", ReductionLowerings::reduce);
    table.many("stablehlo.reduce_window", ReductionLowerings::reduceWindow);
    table.one("stablehlo.select_and_scatter", ReductionLowerings::selectAndScatter);
    table.many("stablehlo.scatter", ReductionLowerings::scatter);
    table.one("stablehlo.map", ReductionLowerings::map);
    table.many("stablehlo.sort", ReductionLowerings::sort);
  }

  /** Operands converted to the types of the region's arguments, which repeat from the first on. */
  private static ImmutableList<HloInstruction> promoted(
      OpImport op, List<HloInstruction> operands, List<ElementType> types) {
    ImmutableList.Builder<HloInstruction> converted = ImmutableList.builder();
    for (int i = 0; i < operands.size(); i++) {
      converted.add(op.converted(operands.get(i), types.get(i % types.size())));
    }
    return converted.build();
  }

  /** The element types of the values that the region accumulates. */
  private static List<ElementType> accumulated(OpImport op, int region, int count) {
    List<ElementType> types = op.argumentTypes(region);
    require(
        types.size() == 2 * count,
        VERIFY,
        "region takes %s values, want %s",
        types.size(),
        2 * count);
    return types.subList(0, count);
  }

  private static int pairs(OpImport op) {
    require(
        op.operandCount() % 2 == 0 && op.operandCount() > 0,
        VERIFY,
        "operands got %s, want as many inputs as initial values",
        op.operandCount());
    return op.operandCount() / 2;
  }

  private static ImmutableList<HloInstruction> reduce(OpImport op) {
    int count = pairs(op);
    ImmutableList<HloInstruction> operands = promoted(op, op.operands(), accumulated(op, 0, count));
    HloComputation body = op.region(0, "reduce_body");
    return op.results(op.emit(new Reduce(op.fields().ints("dimensions")), operands, List.of(body)));
  }

  private static ImmutableList<HloInstruction> reduceWindow(OpImport op) {
    int count = pairs(op);
    ImmutableList<HloInstruction> operands = promoted(op, op.operands(), accumulated(op, 0, count));
    Dims sizes = op.fields().ints("window_dimensions");
    HloComputation body = op.region(0, "reduce_window_body");
    return op.results(op.emit(new ReduceWindow(window(op, sizes)), operands, List.of(body)));
  }

  private static Window window(OpImport op, Dims sizes) {
    int rank = sizes.count();
    List<Dims> padding = padding(op, rank);
    return new Window(
        sizes,
        op.fields().ints("window_strides", rank, 1),
        padding.get(0),
        padding.get(1),
        op.fields().ints("base_dilations", rank, 1),
        op.fields().ints("window_dilations", rank, 1),
        ImmutableList.copyOf(java.util.Collections.nCopies(rank, false)));
  }

  /** The low and the high padding of each dimension. */
  static List<Dims> padding(OpImport op, int rank) {
    if (!op.fields().has("padding")) {
      return List.of(Dims.filled(rank, 0), Dims.filled(rank, 0));
    }
    ImmutableList<Dims> rows = op.fields().rows("padding");
    require(
        rows.size() == rank && rows.stream().allMatch(row -> row.count() == 2),
        VERIFY,
        "padding got %s, want %s pairs",
        rows,
        rank);
    return List.of(
        Dims.copyOf(rows.stream().map(row -> row.get(0)).toList()),
        Dims.copyOf(rows.stream().map(row -> row.get(1)).toList()));
  }

  private static HloInstruction selectAndScatter(OpImport op) {
    Shape.Array operand = op.array(0);
    HloComputation select = op.region(0, "select");
    HloComputation scatter = op.region(1, "scatter_body");
    List<ElementType> types = accumulated(op, 1, 1);
    return op.emit(
        new SelectAndScatter(window(op, op.fields().ints("window_dimensions", operand.rank(), 1))),
        promoted(op, op.operands(), types),
        List.of(select, scatter));
  }

  private static ImmutableList<HloInstruction> scatter(OpImport op) {
    int count = (op.operandCount() - 1) / 2;
    require(
        op.operandCount() == 2 * count + 1 && count > 0,
        VERIFY,
        "operands got %s, want inputs, indices and as many updates",
        op.operandCount());
    List<ElementType> types = accumulated(op, 0, count);
    List<HloInstruction> operands =
        new java.util.ArrayList<>(promoted(op, op.operands(0, count), types));
    operands.add(op.operand(count));
    operands.addAll(promoted(op, op.operands(count + 1, 2 * count + 1), types));
    Fields numbers = op.fields().struct("scatter_dimension_numbers");
    Scatter scatter =
        new Scatter(
            numbers.ints("update_window_dims"),
            numbers.ints("inserted_window_dims"),
            numbers.ints("scatter_dims_to_operand_dims"),
            numbers.ints("input_batching_dims"),
            numbers.ints("scatter_indices_batching_dims"),
            numbers.small("index_vector_dim", 0),
            op.fields().bool("indices_are_sorted"),
            op.fields().bool("unique_indices"));
    HloComputation body = op.region(0, "scatter_body");
    return op.results(op.emit(scatter, operands, List.of(body)));
  }

  private static HloInstruction map(OpImport op) {
    HloComputation body = op.region(0, "map_body");
    return op.emit(new Map(op.fields().ints("dimensions")), op.operands(), List.of(body));
  }

  private static ImmutableList<HloInstruction> sort(OpImport op) {
    long dimension = op.fields().integer("dimension", -1);
    int rank = op.array(0).rank();
    HloComputation comparator = op.region(0, "comparator");
    return op.results(
        op.emit(
            new Sort(
                Dims.of(dimension < 0 ? dimension + rank : dimension),
                op.fields().bool("is_stable")),
            op.operands(),
            List.of(comparator)));
  }
}
