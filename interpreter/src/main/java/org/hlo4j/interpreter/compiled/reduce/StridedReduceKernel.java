package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * The kernel for plans in which the innermost dimension is kept: it reduces row after row into rows
 * of accumulators. It runs the passes of a plan for as many columns at a time as suit the nearest
 * cache. Short rows that follow each other in memory and are summed are read as one long row.
 */
final class StridedReduceKernel extends ReduceKernel {
  private static final int COLUMNS = 1024;

  /** The number of columns if some elements are computed, which is faster for whole rows. */
  private static final int COMPUTED_COLUMNS = 4096;

  private static final int MIN_CHUNKS = 4;

  /** The length of the longest rows that are read as parts of one. */
  private static final int MAX_DENSE = 128;

  /** The approximate number of elements that are read as one row. */
  private static final int MAX_AT_ONCE = 32 * 1024;

  /** The approximate number of elements that one strip computes. */
  private static final int MAX_STRIP = 4 * 1024;

  private final int depth;
  private final int columns;

  /** The number of rows that are reduced at once. */
  private final int group;

  /** The order of the sums. */
  private final SummationOrder order;

  /** For each pass, the accumulators of its steps. */
  private final ImmutableList<ImmutableList<ColumnAccumulators>> steps;

  /** For each pass, the strip that processes several rows as one. */
  private final ImmutableList<Optional<MergedRows>> mergedRowStrips;

  /** For each pass, the number of rows that are read as one, or 1. */
  private final int[] denseRows;

  StridedReduceKernel(ReducePlan plan) {
    super(plan);
    depth = Math.toIntExact(space.depth());
    columns =
        Math.min(plan.arrays().computed().isEmpty() ? COLUMNS : COMPUTED_COLUMNS, space.inner());
    group = (plan.hasStrips() ? ColumnAccumulators.FEW : ReduceLoops.ROWS) * ReduceLoops.ROWS;
    steps =
        plan.passes().stream()
            .map(pass ->
                pass.steps().stream()
                    .map(step -> ColumnAccumulators.of(step, depth, columns))
                    .collect(ImmutableList.toImmutableList()))
            .collect(ImmutableList.toImmutableList());
    order =
        steps.stream()
            .flatMap(ImmutableList::stream)
            .map(ColumnAccumulators::order)
            .filter(SummationOrder::isInterleaved)
            .findFirst()
            .orElse(SummationOrder.IN_ORDER);
    int most = Math.max(group, rowsAtOnce());
    mergedRowStrips =
        IntStream.range(0, plan.passes().size())
            .mapToObj(pass ->
                plan.passes()
                    .get(pass)
                    .strip()
                    .flatMap(strip -> MergedRows.of(strip, space.inner(), most, pass)))
            .collect(ImmutableList.toImmutableList());
    denseRows =
        IntStream.range(0, plan.passes().size())
            .map(pass -> isDense(pass) ? rowsAtOnce() : 1)
            .toArray();
  }

  private int rowsAtOnce() {
    int most = plan.hasStrips() ? MAX_STRIP : MAX_AT_ONCE;
    return Math.max(1, most / Math.max(1, columns) / group) * group;
  }

  /** {@return whether a pass only sums rows that follow each other, and are short} */
  private boolean isDense(int number) {
    ReducePass pass = plan.passes().get(number);
    return space.reduced().strides().equals(ImmutableIntArray.of(space.inner()))
        && space.inner() <= MAX_DENSE
        && steps.get(number).stream()
            .allMatch(step -> step.order().isInterleaved() && isDense(step.step().sources().get(0)))
        && (pass.strip().isEmpty() || mergedRowStrips.get(number).isPresent())
        && pass.reads().isEmpty();
  }

  private boolean isDense(ArrayLocation source) {
    return source.stride() == 1 && source.isContiguousAcrossRows(space.inner());
  }

  private ChunkFrame frame(Object[] arrays) {
    int rows = Math.max(group, IntStream.of(denseRows).max().orElse(1));
    return frame(arrays, (order.accumulators() + 1) * columns, 0, rows * columns);
  }

  @Override
  void run(Object[] arrays, KernelContext context) {
    if (columns == 0) {
      return;
    }
    int columnBlocks = Math.ceilDiv(space.inner(), columns);
    int units = space.kept().count() * columnBlocks;
    long work = (long) Math.max(1, depth) * columns;
    int unitsPerChunk = Math.clamp(Machine.GRAIN / work, 1, Math.max(1, units));
    if (Math.ceilDiv(units, unitsPerChunk) < MIN_CHUNKS
        && work >= 4 * Machine.GRAIN
        && isSplittable()) {
      for (int unit = 0; unit < units; unit++) {
        runParts(arrays, unit / columnBlocks, unit % columnBlocks * columns, context);
      }
      return;
    }
    new Parallel(context, units, unitsPerChunk)
        .run((firstUnit, endUnit) -> {
          ChunkFrame frame = frame(arrays);
          for (int unit = firstUnit; unit < endUnit; unit++) {
            runUnit(frame, unit / columnBlocks, unit % columnBlocks * columns);
          }
        });
  }

  private boolean isSplittable() {
    return order.part() < depth
        && plan.prologue().isEmpty()
        && plan.passes().size() == 1
        && plan.passes().get(0).steps().stream()
            .allMatch(step -> step.reduction().body().isUnordered());
  }

  /** Reduces many rows of a few columns: the parts of the rows on all threads. */
  private void runParts(Object[] arrays, int kept, int column, KernelContext context) {
    ReducePass pass = plan.passes().get(0);
    int count = Math.min(columns, space.inner() - column);
    int first = space.kept().at(kept) / space.inner();
    int parts = Math.ceilDiv(depth, order.part());
    Object[][] partials = new Object[pass.steps().size()][parts];
    long bytes = (long) parts * pass.steps().size() * count * Double.BYTES;
    context.reserve(bytes, () -> "the partial results of " + describe());
    new Parallel(
            context, parts, Math.clamp(Machine.GRAIN / ((long) order.part() * count), 1, parts))
        .run((firstPart, endPart) -> {
          ChunkFrame frame = frame(arrays);
          for (int number = firstPart; number < endPart; number++) {
            for (ColumnAccumulators step : steps.get(0)) {
              step.startApart(frame, number, count);
            }
            frame.column = column;
            runPart(0, frame, first, number, count);
            for (int k = 0; k < partials.length; k++) {
              partials[k][number] = steps.get(0).get(k).partial(frame, count);
            }
          }
        });
    ChunkFrame frame = frame(arrays);
    moveTo(frame, kept, column);
    for (int k = 0; k < partials.length; k++) {
      ColumnAccumulators step = steps.get(0).get(k);
      step.combine(frame, partials[k], count);
      finish(frame, step.step(), count);
    }
    if (pass.epilogue().isPresent()) {
      runResultStrip(pass.epilogue().get(), frame, kept, column, count);
    }
    context.unreserve(bytes);
  }

  private void runUnit(ChunkFrame frame, int kept, int column) {
    int count = Math.min(columns, space.inner() - column);
    if (plan.prologue().isPresent()) {
      runResultStrip(plan.prologue().get(), frame, kept, column, count);
    }
    for (int number = 0; number < plan.passes().size(); number++) {
      ReducePass pass = plan.passes().get(number);
      moveTo(frame, kept, column);
      for (int k = 0; k == 0 || k < Math.ceilDiv(depth, order.part()); k++) {
        for (ColumnAccumulators step : steps.get(number)) {
          step.start(frame, k, count);
        }
        runPart(number, frame, space.kept().at(kept) / space.inner(), k, count);
        for (ColumnAccumulators step : steps.get(number)) {
          step.addPart(frame, k, count);
        }
      }
      pass.steps().forEach(step -> finish(frame, step, count));
      if (pass.epilogue().isPresent()) {
        runResultStrip(pass.epilogue().get(), frame, kept, column, count);
      }
    }
  }

  private void moveTo(ChunkFrame frame, int kept, int column) {
    frame.column = column;
    frame.resultIndex = kept * space.inner() + column;
    frame.localIndex = 0;
  }

  private void runResultStrip(Strip strip, ChunkFrame frame, int kept, int column, int count) {
    moveTo(frame, kept, column);
    frame.innerRow = kept;
    strip.run(frame, count);
  }

  /** Reduces the rows of a part into accumulators, and combines these. */
  private void runPart(int pass, ChunkFrame frame, int first, int number, int count) {
    int row = number * order.part();
    int to = row + Math.min(order.part(), depth - row);
    boolean isDense = denseRows[pass] > 1;
    while (row < to) {
      int most = Math.min(to - row, isDense ? denseRows[pass] : atOnce(to - row));
      int rows = Math.max(1, most / ReduceLoops.ROWS * ReduceLoops.ROWS);
      if (isDense && rows > 1) {
        runDenseRows(pass, frame, first + row, rows);
      } else {
        runRows(pass, frame, first, row, rows, count);
      }
      row += rows;
    }
    for (ColumnAccumulators step : steps.get(pass)) {
      step.combineRows(frame, count);
    }
  }

  /** {@return the number of rows for which there is a loop, of those that are left} */
  private int atOnce(int rows) {
    return rows >= group ? group : ColumnAccumulators.FEW * ReduceLoops.ROWS;
  }

  private void runDenseRows(int pass, ChunkFrame frame, int innerRow, int rows) {
    frame.pieces.next((long) rows * columns);
    frame.innerRow = innerRow;
    frame.workspace = 0;
    mergedRowStrips.get(pass).ifPresent(strip -> strip.run(frame, rows));
    for (ColumnAccumulators step : steps.get(pass)) {
      step.reduceDense(frame, rows);
    }
  }

  private void runRows(int pass, ChunkFrame frame, int first, int row, int rows, int count) {
    frame.pieces.next((long) rows * count);
    int[] innerRows = new int[rows];
    for (int k = 0; k < rows; k++) {
      innerRows[k] = first + space.reduced().at(row + k) / space.inner();
    }
    if (plan.passes().get(pass).strip().isPresent() || !plan.passes().get(pass).reads().isEmpty()) {
      runStrip(pass, frame, innerRows, count);
    }
    for (ColumnAccumulators step : steps.get(pass)) {
      step.reduce(frame, innerRows, count, columns);
    }
  }

  /** Runs the strip of a pass, once for all rows if these are whole and consecutive. */
  private void runStrip(int number, ChunkFrame frame, int[] innerRows, int count) {
    ReducePass pass = plan.passes().get(number);
    Optional<MergedRows> all = mergedRowStrips.get(number);
    boolean areWhole =
        innerRows[innerRows.length - 1] - innerRows[0] == innerRows.length - 1
            && count == space.inner();
    if (areWhole) {
      frame.innerRow = innerRows[0];
      frame.workspace = 0;
      pass.compute(frame, innerRows.length * count);
      if (all.isPresent()) {
        all.get().run(frame, innerRows.length);
        return;
      }
    }
    for (int k = 0; k < innerRows.length; k++) {
      frame.innerRow = innerRows[k];
      frame.workspace = k * columns;
      if (!areWhole) {
        pass.compute(frame, count);
      }
      pass.strip().ifPresent(strip -> strip.run(frame, count));
    }
  }
}
