package org.hlo4j.interpreter.compiled.reduce;

import java.util.Arrays;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * The kernel that runs a {@link ReducePlan}, one block of results after the other. A block is a
 * row, which is reduced one strip after the other, or some columns, into which row after row is
 * reduced.
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

  /** The number of results that follow each other: that of a row, or those of a row of columns. */
  private final int contiguous;

  /** The number of blocks of results that follow each other. */
  private final int blocks;

  private final int parts;

  ReduceKernel(ReducePlan plan) {
    this.plan = plan;
    space = plan.space();
    schedule = plan.schedule();
    depth = Math.toIntExact(space.depth());
    contiguous = space.isInnerReduced() ? 1 : space.inner();
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
    return "reduce " + what + ", passes 1" + plan.arrays().describe();
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
    Object[][][] partials = new Object[units][plan.accumulators().size()][parts];
    long bytes = (long) units * parts * plan.accumulators().size() * schedule.block() * Long.BYTES;
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
            int count = moveTo(frame, unit);
            for (int k = 0; k < plan.accumulators().size(); k++) {
              plan.accumulators().get(k).merge(frame, partials[unit][k], count);
            }
          }
        });
  }

  private void runPart(ChunkFrame frame, int unit, int part, Object[][] partials) {
    int count = moveTo(frame, unit);
    for (Accumulators each : plan.accumulators()) {
      each.startApart(frame, part, count);
    }
    sweep(frame, unit / blocks, part, count);
    for (int k = 0; k < partials.length; k++) {
      partials[k][part] = plan.accumulators().get(k).partial(frame, count);
    }
  }

  private void runBlock(ChunkFrame frame, int unit) {
    int count = moveTo(frame, unit);
    for (int part = 0; part < parts; part++) {
      for (Accumulators each : plan.accumulators()) {
        each.start(frame, part, count);
      }
      sweep(frame, unit / blocks, part, count);
      for (Accumulators each : plan.accumulators()) {
        each.end(frame, part, count);
      }
    }
    for (Accumulators each : plan.accumulators()) {
      each.finish(frame, count);
    }
  }

  /** Moves a frame to the first result of a block, and returns the number of its results. */
  private int moveTo(ChunkFrame frame, int unit) {
    frame.column = unit % blocks * schedule.block();
    frame.resultIndex = unit / blocks * contiguous + frame.column;
    frame.workspace = 0;
    return Math.min(schedule.block(), contiguous - frame.column);
  }

  /** Reduces a part of the terms of some results, those from the current one on. */
  private void sweep(ChunkFrame frame, int kept, int part, int count) {
    int first = space.kept().at(kept) / space.inner();
    int from = part * schedule.part();
    int to = from + Math.min(schedule.part(), depth - from);
    if (space.isInnerReduced()) {
      sweepRow(frame, first);
    } else {
      sweepColumns(frame, first, from, to, count);
    }
  }

  /** Reduces the elements of a row, one strip at a time. */
  private void sweepRow(ChunkFrame frame, int first) {
    for (int element = 0, count; element < depth; element += count) {
      int reduced = element / space.inner();
      frame.column = element - reduced * space.inner();
      count = Math.min(schedule.strip(), space.inner() - frame.column);
      reduce(frame, new int[] {first + space.reduced().at(reduced) / space.inner()}, count);
    }
  }

  /** Reduces rows into the columns from the current one on. */
  private void sweepColumns(ChunkFrame frame, int first, int from, int to, int columns) {
    boolean isDense = schedule.dense() > 1;
    int few = Accumulators.FEW * ReduceLoops.ROWS;
    for (int row = from, rows; row < to; row += rows) {
      int left = to - row;
      int most = isDense ? schedule.dense() : left < schedule.rows() ? few : schedule.rows();
      rows = Math.max(1, Math.min(left, most) / ReduceLoops.ROWS * ReduceLoops.ROWS);
      if (isDense && rows > 1) {
        reduceDense(frame, first + row, rows);
      } else {
        int[] innerRows = new int[rows];
        for (int k = 0; k < rows; k++) {
          innerRows[k] = first + space.reduced().at(row + k) / space.inner();
        }
        reduce(frame, innerRows, columns);
      }
    }
  }

  /** Reduces short rows that follow each other in memory as one long row. */
  private void reduceDense(ChunkFrame frame, int innerRow, int rows) {
    frame.pieces.next((long) rows * frame.inner);
    frame.innerRow = innerRow;
    frame.workspace = 0;
    plan.strip().ifPresent(strip -> strip.runRows(frame, rows));
    for (Accumulators each : plan.accumulators()) {
      each.reduceDense(frame, rows);
    }
  }

  /** Computes and reduces elements of some rows, from the current column on. */
  private void reduce(ChunkFrame frame, int[] innerRows, int count) {
    frame.pieces.next((long) innerRows.length * count);
    if (plan.strip().isPresent() || !plan.reads().isEmpty()) {
      compute(frame, innerRows, count);
    }
    for (Accumulators each : plan.accumulators()) {
      each.reduce(frame, innerRows, count, schedule.block());
    }
  }

  /** Computes what is reduced, once for all rows if these are whole and consecutive. */
  private void compute(ChunkFrame frame, int[] innerRows, int count) {
    int rows = innerRows.length;
    boolean areWhole = innerRows[rows - 1] - innerRows[0] == rows - 1 && count == frame.inner;
    if (areWhole) {
      frame.innerRow = innerRows[0];
      frame.workspace = 0;
      read(frame, rows * count);
      if (rows > 1 && plan.strip().isPresent() && plan.strip().get().canMergeRows()) {
        plan.strip().get().runRows(frame, rows);
        return;
      }
    }
    for (int k = 0; k < rows; k++) {
      frame.innerRow = innerRows[k];
      frame.workspace = k * schedule.block();
      if (!areWhole) {
        read(frame, count);
      }
      if (plan.strip().isPresent()) {
        plan.strip().get().run(frame, count);
      }
    }
  }

  /** Reads some elements of computed arrays, from the position of the frame on. */
  private void read(ChunkFrame frame, int count) {
    for (ReducePlan.ComputedRead read : plan.reads()) {
      int position = frame.innerRow * frame.inner + frame.column;
      ((ComputedArray.Reader) frame.arrays[read.reader()])
          .read(position, count, frame.arrays[read.workspace()], frame.workspace);
    }
  }

  /** Installs the vector forms now, even if C2 has not compiled them yet; for tests. */
  void prepare() {
    plan.arrays().prepare();
    Stream.concat(
            plan.strip().stream().map(Strip::loop),
            plan.accumulators().stream().flatMap(Accumulators::loops))
        .forEach(ReduceLoop::prepare);
  }
}
