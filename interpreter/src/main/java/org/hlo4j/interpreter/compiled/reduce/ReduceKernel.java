package org.hlo4j.interpreter.compiled.reduce;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * The kernel that runs a {@link ReducePlan}: all passes for a block of results, then for the next.
 * A block is some contiguous rows, which are reduced one strip after the other, or some columns,
 * into which row after row is reduced.
 */
final class ReduceKernel implements Kernel {
  /** This number of chunks is enough for all threads to end at about the same time. */
  private static final int CHUNKS = 64;

  /**
   * The maximum number of elements in a chunk. Consecutive rows of one thread are in the cache or
   * are prefetched.
   */
  private static final long MAX_PER_CHUNK = 128 * 1024;

  private final ReducePlan plan;
  private final ReductionSpace space;
  private final ReducePlan.Schedule schedule;
  private final int depth;

  /** The number of results that follow each other: all of rows, or those of a row of columns. */
  private final int contiguous;

  /** The number of blocks of results that follow each other. */
  private final int blocks;

  private final int parts;

  ReduceKernel(ReducePlan plan) {
    this.plan = plan;
    space = plan.space();
    schedule = plan.schedule();
    depth = Math.toIntExact(space.depth());
    contiguous = space.isInnerReduced() ? space.kept().count() : space.inner();
    blocks = Math.ceilDiv(contiguous, schedule.block());
    parts = Math.ceilDiv(depth, schedule.part());
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    int all = plan.firstLocal() + plan.locals().size();
    Object[] arrays = Arrays.copyOf(plan.arrays().inputs(operands), all);
    Literal result = plan.arrays().allocate(arrays, plan.firstOutput(), context);
    ComputedArray.Reader[] readers = plan.arrays().readers(arrays, context);
    System.arraycopy(readers, 0, arrays, plan.firstReader(), readers.length);
    context.reserving(
        plan.arrays().bytesOfNumbers(),
        () -> "the tables of " + describe(),
        () -> run(arrays, context));
    return result;
  }

  @Override
  public String describe() {
    String sizes = space.kept().count() + "x" + space.depth();
    String what =
        space.isInnerReduced() ? "rows " + sizes : "columns " + sizes + "x" + space.inner();
    return "reduce " + what + ", passes " + plan.passes().size() + plan.arrays().describe();
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return InPlaceOperands.isSafe(plan, operand);
  }

  /** {@return a frame with workspaces of its own} */
  private ChunkFrame frame(Object[] arrays) {
    Object[] own = arrays.clone();
    for (int i = 0; i < plan.locals().size(); i++) {
      ReducePlan.Local local = plan.locals().get(i);
      own[plan.firstLocal() + i] = Storages.allocate(local.type(), plan.size(local));
    }
    return new ChunkFrame(own, space.inner(), schedule.strip());
  }

  private void run(Object[] arrays, KernelContext context) {
    int units = space.results() / contiguous * blocks;
    if (schedule.isApart()) {
      runParts(arrays, units, context);
      return;
    }
    long elements = space.results() * (long) depth;
    long perChunk = Math.clamp(elements / CHUNKS, Machine.GRAIN, MAX_PER_CHUNK);
    long perUnit = (long) schedule.block() * depth;
    new Parallel(context, units, Math.toIntExact(Math.ceilDiv(perChunk, perUnit)))
        .run((first, end) -> {
          ChunkFrame frame = frame(arrays);
          for (int unit = first; unit < end; unit++) {
            runBlock(frame, unit);
          }
        });
  }

  /** Reduces few results of many terms: the parts of the terms on all threads. */
  private void runParts(Object[] arrays, int units, KernelContext context) {
    ReducePass pass = plan.passes().get(0);
    Object[][][] partials = new Object[units][pass.accumulators().size()][parts];
    long bytes = (long) units * parts * pass.accumulators().size() * schedule.block() * Long.BYTES;
    int perChunk = (int) Math.max(1, Machine.GRAIN / ((long) schedule.part() * schedule.block()));
    context.reserving(
        bytes,
        () -> "the partial results of " + describe(),
        () -> {
          new Parallel(context, units * parts, perChunk)
              .run((first, end) -> {
                ChunkFrame frame = frame(arrays);
                for (int number = first; number < end; number++) {
                  runPart(frame, number / parts, number % parts, partials[number / parts]);
                }
              });
          ChunkFrame frame = frame(arrays);
          for (int unit = 0; unit < units; unit++) {
            merge(frame, unit, partials[unit]);
          }
        });
  }

  private void runPart(ChunkFrame frame, int unit, int part, Object[][] partials) {
    ReducePass pass = plan.passes().get(0);
    int count = moveTo(frame, unit, 0);
    for (Accumulators each : pass.accumulators()) {
      each.startApart(frame, part, count);
    }
    sweep(pass, frame, unit / blocks, part, count);
    for (int k = 0; k < partials.length; k++) {
      partials[k][part] = pass.accumulators().get(k).partial(frame, count);
    }
  }

  private void merge(ChunkFrame frame, int unit, Object[][] partials) {
    ReducePass pass = plan.passes().get(0);
    int count = moveTo(frame, unit, 0);
    for (int k = 0; k < partials.length; k++) {
      pass.accumulators().get(k).merge(frame, partials[k], count);
    }
    runOfResults(pass.epilogue(), frame, unit);
  }

  private void runBlock(ChunkFrame frame, int unit) {
    runOfResults(plan.prologue(), frame, unit);
    for (ReducePass pass : plan.passes()) {
      for (int done = 0, left = moveTo(frame, unit, 0); left > 0; ) {
        int count = atOnce(pass, left);
        moveTo(frame, unit, done);
        for (int part = 0; part < parts; part++) {
          for (Accumulators each : pass.accumulators()) {
            each.start(frame, part, count);
          }
          sweep(pass, frame, unit / blocks, part, count);
          for (Accumulators each : pass.accumulators()) {
            each.end(frame, part, count);
          }
        }
        for (Accumulators each : pass.accumulators()) {
          each.finish(frame, count);
        }
        done += count;
        left -= count;
      }
      runOfResults(pass.epilogue(), frame, unit);
    }
  }

  /** {@return the number of results that a pass reduces together} */
  private int atOnce(ReducePass pass, int left) {
    return !space.isInnerReduced() ? left : left < pass.rowsAtOnce() ? 1 : pass.rowsAtOnce();
  }

  /**
   * Moves a frame to a result of a block.
   *
   * @param number the number of the result in the block
   * @return the number of results from there to the end of the block
   */
  private int moveTo(ChunkFrame frame, int unit, int number) {
    int first = unit % blocks * schedule.block();
    frame.column = first + number;
    frame.resultIndex = unit / blocks * contiguous + frame.column;
    frame.localIndex = number;
    frame.workspace = 0;
    return Math.min(schedule.block(), contiguous - first) - number;
  }

  /** Computes values of each result of a block. */
  private void runOfResults(Optional<Strip> strip, ChunkFrame frame, int unit) {
    if (strip.isPresent()) {
      int count = moveTo(frame, unit, 0);
      frame.innerRow = unit / blocks;
      strip.get().run(frame, count);
    }
  }

  /** Reduces a part of the terms of some results, those from the current one on. */
  private void sweep(ReducePass pass, ChunkFrame frame, int kept, int part, int count) {
    int from = part * schedule.part();
    int to = from + Math.min(schedule.part(), depth - from);
    if (space.isInnerReduced()) {
      sweepRows(pass, frame, from, to, count);
    } else {
      sweepColumns(pass, frame, space.kept().at(kept) / space.inner(), from, to, count);
    }
  }

  /** Reduces elements of contiguous rows, one strip at a time. */
  private void sweepRows(ReducePass pass, ChunkFrame frame, int from, int to, int rows) {
    int[] innerRows = new int[rows];
    for (int element = from; element < to; ) {
      int reduced = element / space.inner();
      for (int k = 0; k < rows; k++) {
        innerRows[k] =
            (space.kept().at(frame.resultIndex + k) + space.reduced().at(reduced)) / space.inner();
      }
      frame.saved = frame.localIndex * depth + reduced * space.inner();
      frame.column = element - reduced * space.inner();
      int left = Math.min(space.inner() - frame.column, to - element);
      int count = Math.min(schedule.strip(), left);
      reduce(pass, frame, innerRows, count);
      element += count;
    }
  }

  /** Reduces rows into the columns from the current one on. */
  private void sweepColumns(
      ReducePass pass, ChunkFrame frame, int first, int from, int to, int columns) {
    for (int row = from; row < to; ) {
      int left = to - row;
      boolean isDense = pass.rowsAtOnce() > 1;
      int few = ColumnAccumulators.FEW * ReduceLoops.ROWS;
      int most = isDense ? pass.rowsAtOnce() : left < schedule.rows() ? few : schedule.rows();
      int rows = Math.max(1, Math.min(left, most) / ReduceLoops.ROWS * ReduceLoops.ROWS);
      if (isDense && rows > 1) {
        reduceDense(pass, frame, first + row, rows);
      } else {
        int[] innerRows = new int[rows];
        for (int k = 0; k < rows; k++) {
          innerRows[k] = first + space.reduced().at(row + k) / space.inner();
        }
        reduce(pass, frame, innerRows, columns);
      }
      row += rows;
    }
  }

  /** Reduces short rows that follow each other in memory as one long row. */
  private static void reduceDense(ReducePass pass, ChunkFrame frame, int innerRow, int rows) {
    frame.pieces.next((long) rows * frame.inner);
    frame.innerRow = innerRow;
    frame.workspace = 0;
    pass.strip().ifPresent(strip -> strip.runRows(frame, rows));
    for (Accumulators each : pass.accumulators()) {
      ((ColumnAccumulators) each).reduceDense(frame, rows);
    }
  }

  /** Computes and reduces elements of some rows, from the current column on. */
  private void reduce(ReducePass pass, ChunkFrame frame, int[] innerRows, int count) {
    frame.pieces.next((long) innerRows.length * count);
    int rowStride = schedule.block();
    if (pass.strip().isPresent() || !pass.reads().isEmpty()) {
      compute(pass, frame, innerRows, count, rowStride);
    }
    for (Accumulators each : pass.accumulators()) {
      each.reduce(frame, innerRows, count, rowStride);
    }
  }

  /** Computes what a pass reduces, once for all rows if these are whole and consecutive. */
  private static void compute(
      ReducePass pass, ChunkFrame frame, int[] innerRows, int count, int rowStride) {
    int rows = innerRows.length;
    boolean areWhole = innerRows[rows - 1] - innerRows[0] == rows - 1 && count == frame.inner;
    if (areWhole) {
      frame.innerRow = innerRows[0];
      frame.workspace = 0;
      pass.compute(frame, rows * count);
      if (rows > 1 && pass.strip().isPresent() && pass.strip().get().canMergeRows()) {
        pass.strip().get().runRows(frame, rows);
        return;
      }
    }
    for (int k = 0; k < rows; k++) {
      frame.innerRow = innerRows[k];
      frame.workspace = k * rowStride;
      if (!areWhole) {
        pass.compute(frame, count);
      }
      if (pass.strip().isPresent()) {
        pass.strip().get().run(frame, count);
      }
    }
  }

  /** Installs the vector forms now, even if C2 has not compiled them yet; for tests. */
  void prepare() {
    plan.arrays().prepare();
    Stream.concat(
            plan.prologue().stream().map(Strip::loop),
            plan.passes().stream().flatMap(ReducePass::loops))
        .forEach(ReduceLoop::prepare);
  }
}
