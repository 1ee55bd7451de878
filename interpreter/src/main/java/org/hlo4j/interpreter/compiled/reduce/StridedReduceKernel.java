package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * The kernel for plans in which the innermost dimension is kept: it reduces row after row into a
 * row of accumulators. It runs the passes of a plan for as many columns at a time as suit the
 * nearest cache. Several short rows that are summed are treated as one long row, with accumulators
 * for each of them, which are added at the end.
 */
final class StridedReduceKernel extends ReduceKernel {
  private static final int COLUMNS = 1024;

  /** The number of columns if some elements are computed, which is faster for whole rows. */
  private static final int COMPUTED_COLUMNS = 4096;

  private static final int MIN_CHUNKS = 4;

  /** The maximum total length of rows that are treated as one. */
  private static final int MAX_MERGED_LENGTH = 1024;

  private final int depth;
  private final int columns;

  /** For each pass, the strip that processes several rows as one. */
  private final ImmutableList<Optional<MergedRows>> mergedRowStrips;

  /** For each pass, the number of rows that the reductions treat as one. */
  private final int[] mergedRowCounts;

  private final int maxMergedRowCount;

  StridedReduceKernel(ReducePlan plan) {
    super(plan);
    depth = Math.toIntExact(space.depth());
    columns =
        Math.min(plan.arrays().computed().isEmpty() ? COLUMNS : COMPUTED_COLUMNS, space.inner());
    int most = ReduceLoops.ROWS * Math.max(1, MAX_MERGED_LENGTH / Math.max(1, columns));
    mergedRowStrips =
        IntStream.range(0, plan.passes().size())
            .mapToObj(pass ->
                plan.passes()
                    .get(pass)
                    .strip()
                    .flatMap(strip -> MergedRows.of(strip, space.inner(), most, pass)))
            .collect(ImmutableList.toImmutableList());
    mergedRowCounts = IntStream.range(0, plan.passes().size()).map(this::mergedRowCount).toArray();
    maxMergedRowCount = IntStream.of(mergedRowCounts).max().orElse(1);
  }

  private int mergedRowCount(int number) {
    ReducePass pass = plan.passes().get(number);
    boolean areDense = space.reduced().strides().equals(ImmutableIntArray.of(space.inner()));
    boolean areSums =
        pass.steps().stream().allMatch(step -> step.isSum() && isDense(step.sources().get(0)));
    int most = MAX_MERGED_LENGTH / Math.max(1, space.inner());
    return areDense
            && areSums
            && (pass.strip().isEmpty() || mergedRowStrips.get(number).isPresent())
            && pass.reads().isEmpty()
            && depth >= most * ReduceLoops.ROWS
        ? Math.max(1, most)
        : 1;
  }

  private boolean isDense(ArrayLocation source) {
    return source.stride() == 1 && source.isContiguousAcrossRows(space.inner());
  }

  /** {@return a frame whose workspaces have room for rows that are treated as one} */
  private ChunkFrame frame(Object[] arrays) {
    int most = columns * maxMergedRowCount;
    return frame(arrays, most, 0, ReduceLoops.ROWS * most);
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
        runPieces(arrays, unit / columnBlocks, unit % columnBlocks * columns, context);
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
    return plan.prologue().isEmpty()
        && plan.passes().size() == 1
        && plan.passes().get(0).steps().stream()
            .allMatch(step -> step.reduction().body().isUnordered());
  }

  /**
   * Reduces many rows of a few columns: the rows are split into pieces, whose results are combined
   * in order.
   */
  private void runPieces(Object[] arrays, int kept, int column, KernelContext context) {
    ReducePass pass = plan.passes().get(0);
    int count = Math.min(columns, space.inner() - column);
    int first = space.kept().at(kept) / space.inner();
    int piece = Math.max(1, 2 * Machine.GRAIN / columns / ReduceLoops.ROWS) * ReduceLoops.ROWS;
    ChunkFrame[] frames = new ChunkFrame[Math.ceilDiv(depth, piece)];
    long bytes = frames.length * bytes(columns * maxMergedRowCount);
    context.reserve(bytes, () -> "the partial results of " + describe());
    new Parallel(context, frames.length)
        .forEach(number -> {
          ChunkFrame frame = frame(arrays);
          frames[number] = frame;
          pass.steps().forEach(step -> PartialAccumulators.start(frame, step, 0, count));
          frame.column = column;
          int from = number * piece;
          runRows(0, frame, first, from, from + Math.min(piece, depth - from), count);
        });
    context.unreserve(bytes);
    ChunkFrame frame = frame(arrays);
    moveTo(frame, kept, column);
    for (ReduceStep step : pass.steps()) {
      start(frame, step, count);
      for (ChunkFrame part : frames) {
        PartialAccumulators.reduce(frame, part, step, count);
      }
      finish(frame, step, count);
    }
    if (pass.epilogue().isPresent()) {
      runResultStrip(pass.epilogue().get(), frame, kept, column, count);
    }
  }

  /** {@return about how many bytes the workspaces of a frame take} */
  private long bytes(int most) {
    long elements =
        (1L + ReduceLoops.ROWS) * most + ReduceLoops.MAX_ROWS * ReduceLoops.MAX_ACCUMULATORS;
    return Double.BYTES * elements * (plan.locals().size() + plan.arrays().shapes().size());
  }

  private void runUnit(ChunkFrame frame, int kept, int column) {
    int count = Math.min(columns, space.inner() - column);
    if (plan.prologue().isPresent()) {
      runResultStrip(plan.prologue().get(), frame, kept, column, count);
    }
    for (int number = 0; number < plan.passes().size(); number++) {
      ReducePass pass = plan.passes().get(number);
      moveTo(frame, kept, column);
      pass.steps().forEach(step -> start(frame, step, count));
      runRows(number, frame, space.kept().at(kept) / space.inner(), 0, depth, count);
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

  private void runRows(int number, ChunkFrame frame, int first, int from, int to, int count) {
    ReducePass pass = plan.passes().get(number);
    int row = from;
    if (mergedRowCounts[number] > 1) {
      row = runMergedRows(number, frame, first, from, to);
    }
    while (row < to) {
      int rows = to - row >= ReduceLoops.ROWS ? ReduceLoops.ROWS : 1;
      frame.pieces.next((long) rows * count);
      int[] innerRows = new int[rows];
      for (int k = 0; k < rows; k++) {
        innerRows[k] = first + space.reduced().at(row + k) / space.inner();
      }
      if (pass.strip().isPresent() || !pass.reads().isEmpty()) {
        runStrip(number, frame, innerRows, count);
      }
      for (ReduceStep step : pass.steps()) {
        reduce(frame, step, innerRows, count, columns);
      }
      row += rows;
    }
  }

  /**
   * Sums rows of which several are treated as one, as long as there are enough.
   *
   * @return the first row that remains
   */
  private int runMergedRows(int number, ChunkFrame frame, int first, int from, int to) {
    ReducePass pass = plan.passes().get(number);
    int each = mergedRowCounts[number];
    int all = each * ReduceLoops.ROWS;
    int count = each * columns;
    int[] innerRows = new int[ReduceLoops.ROWS];
    pass.steps().forEach(step -> PartialAccumulators.start(frame, step, columns, count));
    int row = from;
    for (; to - row >= all; row += all) {
      frame.pieces.next((long) all * columns);
      for (int k = 0; k < innerRows.length; k++) {
        innerRows[k] = first + row + k * each;
      }
      mergedRowStrips
          .get(number)
          .ifPresent(strip -> {
            frame.innerRow = innerRows[0];
            frame.workspace = 0;
            strip.run(frame, all);
          });
      for (ReduceStep step : pass.steps()) {
        reduce(frame, step, innerRows, count, count);
      }
    }
    pass.steps().forEach(step -> PartialAccumulators.addSums(frame, step, columns, count));
    return row;
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
