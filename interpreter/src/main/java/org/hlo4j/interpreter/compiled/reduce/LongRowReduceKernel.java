package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * The kernel for plans in which the innermost dimension is reduced, so that rows are contiguous. It
 * runs the passes of a plan for one result at a time, or for a few if rows are short.
 */
final class LongRowReduceKernel extends ReduceKernel {
  private static final int STRIP = 2048;

  /**
   * Rows with at least this many elements are processed one by one, unless several are interleaved.
   */
  static final int BLOCK = 2048;

  /** The length of the longest rows of which several fit a near cache. */
  private static final int LONGEST_OF_SEVERAL = 16 * 1024;

  private static final int SHORTEST_STREAMED = 512;

  /** The number of elements in a piece of a long row: a multiple of the number of accumulators. */
  private static final int PIECE = 64 * 1024;

  /** This number of chunks is enough for all threads to end at about the same time. */
  private static final int CHUNKS = 64;

  /**
   * The maximum number of elements in a chunk. Consecutive rows of one thread are in the cache or
   * are prefetched.
   */
  private static final long MAX_PER_CHUNK = 128 * 1024;

  private final int depth;
  private final int block;
  private final int strip;
  private final RowPass[] passes;

  /** A pass with the accumulators of each of its steps; null for steps that are not interleaved. */
  private static final class RowPass {
    final ReducePass pass;
    final @Nullable Strip strip;
    final @Nullable Strip epilogue;
    final @Nullable InterleavedAccumulators[] interleaved;
    final int rowsAtOnce;

    RowPass(ReducePass pass) {
      this.pass = pass;
      this.strip = pass.strip().orElse(null);
      this.epilogue = pass.epilogue().orElse(null);
      this.interleaved =
          pass.steps().stream()
              .map(step -> step.isInterleaved() ? new InterleavedAccumulators(step) : null)
              .toArray(InterleavedAccumulators[]::new);
      this.rowsAtOnce =
          strip != null
              ? 1
              : Arrays.stream(interleaved).mapToInt(RowPass::rowsAtOnce).min().orElse(1);
    }

    private static int rowsAtOnce(@Nullable InterleavedAccumulators interleaved) {
      return interleaved == null ? 1 : interleaved.rowsAtOnce();
    }
  }

  LongRowReduceKernel(ReducePlan plan) {
    super(plan);
    depth = Math.toIntExact(space.depth());
    strip = Math.min(plan.hasStrips() ? STRIP : PIECE, space.inner());
    passes = plan.passes().stream().map(RowPass::new).toArray(RowPass[]::new);
    int least = rowsAtOnce();
    block = Math.clamp(BLOCK / Math.max(1, depth), least, Math.max(least, space.kept().count()));
  }

  /**
   * {@return the minimum number of rows in a block} It is 1 if several passes run over long rows,
   * so that the block stays in a near cache.
   */
  private int rowsAtOnce() {
    boolean isFar = passes.length > 1 && depth > LONGEST_OF_SEVERAL;
    return isFar || isStreamed()
        ? 1
        : Arrays.stream(passes).mapToInt(pass -> pass.rowsAtOnce).max().orElse(1);
  }

  /**
   * {@return whether a single pass of reductions reads long rows from memory, which delivers them
   * faster one by one}
   */
  private boolean isStreamed() {
    return isSplittable()
        && !plan.hasStrips()
        && depth >= SHORTEST_STREAMED
        && elements() >= MIN_FAR
        && Arrays.stream(passes[0].interleaved)
            .allMatch(interleaved -> requireNonNull(interleaved).isNarrow());
  }

  @Override
  void run(Object[] arrays, KernelContext context) {
    if (depth >= 2 * PIECE && isSplittable()) {
      runPieces(arrays, context);
      return;
    }
    new Parallel(context, space.kept().count(), rowsPerChunk())
        .run((first, end) -> {
          ChunkFrame frame = frame(arrays, block, block * depth, strip);
          for (int row = first; row < end; row += block) {
            runBlock(frame, row, Math.min(end, row + block));
          }
        });
  }

  private long elements() {
    return (long) space.kept().count() * depth;
  }

  /** {@return the number of rows in a chunk: whole blocks} The results do not depend on it. */
  private int rowsPerChunk() {
    long elements = Math.clamp(elements() / CHUNKS, Machine.GRAIN, MAX_PER_CHUNK);
    return block * Math.toIntExact(Math.ceilDiv(elements, Math.max(1L, depth) * block));
  }

  private boolean isSplittable() {
    return plan.prologue().isEmpty()
        && plan.passes().size() == 1
        && plan.passes().get(0).steps().stream().allMatch(ReduceStep::isInterleaved);
  }

  /**
   * Reduces rows that are so long that each is split into pieces, whose reduced values are combined
   * in order.
   */
  private void runPieces(Object[] arrays, KernelContext context) {
    RowPass rowPass = passes[0];
    ReducePass pass = rowPass.pass;
    @Nullable InterleavedAccumulators[] interleaved = rowPass.interleaved;
    int rows = space.kept().count();
    int steps = interleaved.length;
    int pieces = Math.ceilDiv(depth, PIECE);
    Number[][] parts = new Number[rows * steps][pieces];
    new Parallel(context, rows * pieces)
        .forEach(chunk -> {
          ChunkFrame frame = frame(arrays, 1, 0, strip);
          int row = chunk / pieces;
          int from = chunk % pieces * PIECE;
          for (InterleavedAccumulators each : interleaved) {
            requireNonNull(each).start(frame, 1);
          }
          runRange(rowPass, frame, row, 1, from, Math.min(depth, from + PIECE));
          for (int k = 0; k < steps; k++) {
            Number part = requireNonNull(interleaved[k]).reduced(frame, 0);
            parts[row * steps + k][chunk % pieces] = part;
          }
        });
    ChunkFrame frame = frame(arrays, 1, 0, 0);
    for (int row = 0; row < rows; row++) {
      frame.resultIndex = row;
      for (int k = 0; k < steps; k++) {
        requireNonNull(interleaved[k]).finishParts(frame, parts[row * steps + k]);
      }
      if (pass.epilogue().isPresent()) {
        runResultStrip(pass.epilogue().get(), frame, row, row + 1);
      }
    }
  }

  private void runBlock(ChunkFrame frame, int first, int end) {
    if (plan.prologue().isPresent()) {
      runResultStrip(plan.prologue().get(), frame, first, end);
    }
    for (RowPass pass : passes) {
      for (int row = first, rows; row < end; row += rows) {
        rows = end - row < pass.rowsAtOnce ? 1 : pass.rowsAtOnce;
        runRows(pass, frame, row, row - first, rows);
      }
      if (pass.epilogue != null) {
        runResultStrip(pass.epilogue, frame, first, end);
      }
    }
  }

  private static void runResultStrip(Strip strip, ChunkFrame frame, int first, int end) {
    frame.innerRow = 0;
    frame.column = first;
    frame.resultIndex = first;
    frame.localIndex = 0;
    strip.run(frame, end - first);
  }

  private void runRows(RowPass pass, ChunkFrame frame, int row, int local, int rows) {
    frame.resultIndex = row;
    frame.localIndex = local;
    for (int k = 0; k < pass.interleaved.length; k++) {
      InterleavedAccumulators interleaved = pass.interleaved[k];
      if (interleaved != null) {
        interleaved.start(frame, rows);
      } else {
        start(frame, pass.pass.steps().get(k), 1);
      }
    }
    frame.saved = local * depth;
    runRange(pass, frame, row, rows, 0, depth);
    for (int k = 0; k < pass.interleaved.length; k++) {
      InterleavedAccumulators interleaved = pass.interleaved[k];
      if (interleaved == null) {
        finish(frame, pass.pass.steps().get(k), 1);
      } else {
        finish(interleaved, frame, row, local, rows);
      }
    }
  }

  private static void finish(
      InterleavedAccumulators interleaved, ChunkFrame frame, int row, int local, int rows) {
    for (int k = 0; k < rows; k++) {
      frame.resultIndex = row + k;
      frame.localIndex = local + k;
      interleaved.finish(frame, k);
    }
  }

  /**
   * Runs a pass over the elements {@code from} (inclusive) to {@code to} (exclusive) of some rows,
   * one strip at a time.
   */
  private void runRange(RowPass pass, ChunkFrame frame, int row, int rows, int from, int to) {
    int[] innerRows = new int[rows];
    int saved = frame.saved;
    for (int element = from; element < to; ) {
      int reduced = element / space.inner();
      for (int k = 0; k < rows; k++) {
        innerRows[k] = (space.kept().at(row + k) + space.reduced().at(reduced)) / space.inner();
      }
      frame.saved = saved + reduced * space.inner();
      frame.column = element - reduced * space.inner();
      int count = Math.min(Math.min(strip, space.inner() - frame.column), to - element);
      frame.pieces.next((long) rows * count);
      runStrip(pass, frame, innerRows, count);
      element += count;
    }
  }

  private static void runStrip(RowPass pass, ChunkFrame frame, int[] innerRows, int count) {
    frame.innerRow = innerRows[0];
    pass.pass.compute(frame, count);
    if (pass.strip != null) {
      pass.strip.run(frame, count);
    }
    for (int k = 0; k < pass.interleaved.length; k++) {
      InterleavedAccumulators interleaved = pass.interleaved[k];
      if (interleaved != null) {
        interleaved.reduce(frame, innerRows, count);
      } else {
        reduce(frame, pass.pass.steps().get(k), innerRows, count, 0);
      }
    }
  }
}
