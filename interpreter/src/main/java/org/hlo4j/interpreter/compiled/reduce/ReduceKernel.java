package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.Pieces;

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
  private final ImmutableList<Accumulators> accumulators;
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
    int columns = space.isInnerReduced() ? 0 : schedule.block();
    accumulators =
        plan.reductions().stream()
            .map(each -> new Accumulators(each, plan.roots(), columns))
            .collect(ImmutableList.toImmutableList());
    contiguous = space.isInnerReduced() ? 1 : space.inner();
    blocks = Math.ceilDiv(contiguous, schedule.block());
    parts = Math.ceilDiv(depth, schedule.part());
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object[] inputs = plan.arrays().inputs(operands);
    Object[] outputs = new Object[plan.arrays().shapes().size()];
    Literal result = plan.arrays().allocate(outputs, 0, context);
    ComputedArray.Reader[] readers = plan.arrays().readers(inputs, context);
    context.reserving(
        plan.arrays().bytesOfNumbers(),
        () -> "the tables of " + describe(),
        () -> run(() -> new Chunk(inputs, readers, outputs), context));
    return result;
  }

  @Override
  public String describe() {
    String sizes = space.kept().count() + "x" + space.depth();
    String what =
        space.isInnerReduced() ? "rows " + sizes : "columns " + sizes + "x" + space.inner();
    String blocked = blocks > 1 ? ", blocks of " + schedule.block() : "";
    String parted = schedule.isApart() ? ", parts " + parts : "";
    return "reduce " + what + blocked + parted + ", passes 1" + plan.arrays().describe();
  }

  private void run(Supplier<Chunk> chunks, KernelContext context) {
    int units = space.results() / contiguous * blocks;
    if (schedule.isApart()) {
      runParts(chunks, units, context);
      return;
    }
    long perChunk =
        Math.clamp(space.results() * (long) depth / CHUNKS, Machine.GRAIN, MAX_PER_CHUNK);
    int unitsPerChunk = Math.toIntExact(Math.ceilDiv(perChunk, (long) schedule.block() * depth));
    new Parallel(context, units, unitsPerChunk)
        .run((first, end) -> {
          Chunk chunk = chunks.get();
          chunk.end = space.isInnerReduced() && space.inner() == depth ? end * depth : 0;
          for (int unit = first; unit < end; unit++) {
            chunk.runBlock(unit);
          }
        });
  }

  /** Reduces few results of many terms: the parts of the terms on all threads. */
  private void runParts(Supplier<Chunk> chunks, int units, KernelContext context) {
    Object[][][] partials = new Object[units][accumulators.size()][parts];
    long bytes = (long) units * parts * accumulators.size() * schedule.block() * Long.BYTES;
    int perChunk = (int) Math.max(1, Machine.GRAIN / ((long) schedule.part() * schedule.block()));
    context.reserving(
        bytes,
        () -> "the partial results of " + describe(),
        () -> {
          new Parallel(context, units * parts, perChunk)
              .run((first, end) -> {
                Chunk chunk = chunks.get();
                for (int number = first; number < end; number++) {
                  chunk.runPart(number / parts, number % parts, partials[number / parts]);
                }
              });
          Chunk chunk = chunks.get();
          for (int unit = 0; unit < units; unit++) {
            chunk.merge(unit, partials[unit]);
          }
        });
  }

  /** The arrays of a run, with workspaces that one thread uses at a time. */
  private final class Chunk {
    private final Object[] inputs;
    private final ComputedArray.Reader[] readers;
    private final Object[] outputs;
    private final Pieces pieces = new Pieces();

    /** For each source, the array that its elements are in. */
    private final Object[] arrays;

    /** For each source, where the elements of each of some rows begin. */
    private final int[][] starts = new int[plan.sources().size()][];

    /** The arrays of each reduction. */
    private final Object[][] own;

    /** The position after the rows that this thread reduces next, if each row is contiguous. */
    private int end;

    /** The positions of what is computed: of contiguous rows as many as a strip holds. */
    private int computedFrom;

    private int computedTo;

    /** The first of the current results among those of a row of columns. */
    private int column;

    /** The index of the first of the current results. */
    private int resultIndex;

    /** The number of current results. */
    private int count;

    Chunk(Object[] inputs, ComputedArray.Reader[] readers, Object[] outputs) {
      this.inputs = inputs;
      this.readers = readers;
      this.outputs = outputs;
      this.arrays =
          plan.sources().stream()
              .map(source ->
                  source.isComputed()
                      ? Storages.allocate(source.type(), schedule.strip())
                      : inputs[source.input()])
              .toArray();
      this.own = accumulators.stream().map(each -> each.arrays(arrays)).toArray(Object[][]::new);
    }

    /** Moves to the first result of a block. */
    private void moveTo(int unit) {
      column = unit % blocks * schedule.block();
      resultIndex = unit / blocks * contiguous + column;
      count = Math.min(schedule.block(), contiguous - column);
    }

    private void forEach(BiConsumer<Accumulators, Object[]> action) {
      for (int k = 0; k < own.length; k++) {
        action.accept(accumulators.get(k), own[k]);
      }
    }

    void runBlock(int unit) {
      moveTo(unit);
      for (int part = 0; part < parts; part++) {
        int number = part;
        forEach((each, used) -> each.start(used, inputs, number, count));
        sweep(unit / blocks, part);
        forEach((each, used) -> each.end(used, number, count));
      }
      forEach((each, used) -> each.finish(used, outputs, resultIndex, count));
    }

    void runPart(int unit, int part, Object[][] partials) {
      moveTo(unit);
      forEach((each, used) -> each.startApart(used, inputs, part, count));
      sweep(unit / blocks, part);
      for (int k = 0; k < own.length; k++) {
        partials[k][part] = accumulators.get(k).partial(own[k], count);
      }
    }

    void merge(int unit, Object[][] partials) {
      moveTo(unit);
      for (int k = 0; k < own.length; k++) {
        accumulators.get(k).merge(own[k], inputs, partials[k], count);
      }
      forEach((each, used) -> each.finish(used, outputs, resultIndex, count));
    }

    /** Reduces a part of the terms of the current results. */
    private void sweep(int kept, int part) {
      int first = space.kept().at(kept) / space.inner();
      int from = part * schedule.part();
      if (space.isInnerReduced()) {
        sweepRow(first);
      } else {
        sweepColumns(first, from, from + Math.min(schedule.part(), depth - from));
      }
    }

    /** Reduces the elements of a row, one strip at a time. */
    private void sweepRow(int first) {
      for (int element = 0, length; element < depth; element += length) {
        int reduced = element / space.inner();
        int from = element - reduced * space.inner();
        length = Math.min(schedule.strip(), space.inner() - from);
        reduce(first, reduced, 1, from, length);
      }
    }

    /** Reduces rows into the columns from the current one on. */
    private void sweepColumns(int first, int from, int to) {
      boolean isDense = schedule.dense() > 1;
      int few = Accumulators.FEW * ReduceLoops.ROWS;
      for (int row = from, rows; row < to; row += rows) {
        int left = to - row;
        int most = isDense ? schedule.dense() : left < schedule.rows() ? few : schedule.rows();
        rows = Math.max(1, Math.min(left, most) / ReduceLoops.ROWS * ReduceLoops.ROWS);
        if (isDense && rows > 1) {
          pieces.next((long) rows * space.inner());
          read(new int[] {first + row}, 0, rows * space.inner());
          int length = rows;
          forEach((each, used) -> each.reduceDense(used, starts, length));
        } else {
          reduce(first, row, rows, column, count);
        }
      }
    }

    /** Reduces elements of some rows of innermost positions. */
    private void reduce(int first, int reduced, int count, int from, int length) {
      int[] rows = new int[count];
      Arrays.setAll(rows, k -> first + space.reduced().at(reduced + k) / space.inner());
      pieces.next((long) count * length);
      read(rows, from, length);
      forEach((each, used) -> each.reduce(used, starts, length));
    }

    /** Finds, or computes, elements of some rows: at once if these are whole and consecutive. */
    private void read(int[] rows, int from, int length) {
      int most = rows.length;
      boolean areOne = rows[most - 1] - rows[0] == most - 1 && length == space.inner();
      int position = rows[0] * space.inner() + from;
      boolean isKnown = position < computedTo;
      if (!isKnown) {
        computedFrom = position;
        computedTo = areOne ? Math.min(end, position + schedule.strip() / length * length) : 0;
      }
      for (int number = 0; number < starts.length; number++) {
        ReducePlan.Source source = plan.sources().get(number);
        int[] at = new int[most];
        for (int k = 0; k < most; k++) {
          at[k] =
              source.isComputed()
                  ? position - computedFrom + k * schedule.block()
                  : source.base() + source.rowStarts().at(rows[k]) + from;
          if (source.isComputed() && !isKnown && (k == 0 || !areOne)) {
            int all = areOne ? Math.max(most * length, computedTo - position) : length;
            readers[-1 - source.input()].read(
                rows[k] * space.inner() + from, all, arrays[number], at[k]);
          }
        }
        starts[number] = at;
      }
    }
  }

  /** Installs the vector forms now, even if C2 has not compiled them yet; for tests. */
  void prepare() {
    plan.arrays().prepare();
    accumulators.stream().flatMap(Accumulators::loops).forEach(ReduceLoop::prepare);
  }
}
