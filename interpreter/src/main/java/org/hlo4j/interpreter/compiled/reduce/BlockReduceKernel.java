package org.hlo4j.interpreter.compiled.reduce;

import static org.hlo4j.interpreter.compiled.reduce.BlockLayout.ALIGNED;
import static org.hlo4j.interpreter.compiled.reduce.BlockPassCode.END;
import static org.hlo4j.interpreter.compiled.reduce.BlockPassCode.PART;
import static org.hlo4j.interpreter.compiled.reduce.BlockPassCode.SHARED;
import static org.hlo4j.interpreter.compiled.reduce.BlockPassCode.start;
import static org.hlo4j.interpreter.compiled.reduce.BlockPassCode.stride;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.copy.StridedCopy;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * A kernel that runs a {@link BlockPlan}. It processes a block of rows at a time and runs the loops
 * of all passes over the block while it is in the cache. What the loops do not access in place is
 * copied, or transposed into a tile, before and after.
 */
final class BlockReduceKernel implements Kernel {
  private static final int MAX_CHUNKS = 64;

  /** The number of elements in the parts of a long row but the last. */
  private static final int FULL = ContiguousReduceCode.MAX_ELEMENTS;

  /** The number of parts that are reduced between two looks at the deadline. */
  private static final int PARTS_AT_ONCE = 4;

  /** With as many elements in a row, few rows are shared among threads in parts. */
  private static final int MIN_APART = 128 * 1024;

  private final BlockPlan plan;
  private final BlockLayout layout;
  private final ReduceArrays given;

  /** Whether threads share the parts of rows, not rows. */
  private final boolean isApart;

  private final List<BlockPass> passes;

  BlockReduceKernel(BlockPlan plan, Lanes lanes) {
    this.plan = plan;
    layout = new BlockLayout(plan, lanes);
    given = plan.program.arrays();
    isApart =
        layout.isReadInParts
            && plan.passCount == 1
            && plan.rowCount < MAX_CHUNKS
            && plan.depth >= MIN_APART;
    passes =
        IntStream.range(0, plan.passCount)
            .mapToObj(number -> BlockPass.of(layout, number))
            .toList();
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object[] inputs = given.inputs(operands);
    Object[] arrays = new Object[layout.types.size()];
    for (BlockPlan.Leaf leaf : plan.leaves) {
      if (!leaf.isComputed()) {
        arrays[leaf.number()] = inputs[leaf.input()];
      }
    }
    Literal result = given.allocate(arrays, plan.firstOutput, context);
    context.reserving(
        given.bytesOfNumbers(),
        () -> "the tables of " + describe(),
        () -> run(arrays, given.readers(inputs, context), context));
    return result;
  }

  private void run(Object[] arrays, ComputedArray.Reader[] readers, KernelContext context) {
    if (isApart) {
      runApart(arrays, readers, context);
      return;
    }
    Queue<Chunk> idle = new ConcurrentLinkedQueue<>();
    int segmentCount = plan.rowCount / plan.segment;
    int blocksPerSegment = Math.ceilDiv(plan.segment, layout.block);
    int units = blocksPerSegment * segmentCount;
    int unitsPerChunk =
        Math.clamp(
            Machine.GRAIN / (layout.block * plan.depth), Math.ceilDiv(units, MAX_CHUNKS), units);
    // The same block of all sides, if what they share is transposed once for all of them.
    boolean isSegmentwise = layout.lanes != Lanes.ROWS || plan.elementStride() > 1;
    new Parallel(context, units, unitsPerChunk)
        .reserving(plan.isParted() ? bytesOfRow() : 0, this::describe)
        .run((firstUnit, endUnit) -> {
          Chunk own =
              Optional.ofNullable(idle.poll())
                  .orElseGet(() -> new Chunk(arrays, readers, plan.parts()));
          for (int unit = firstUnit; unit < endUnit; unit++) {
            int first =
                (isSegmentwise ? unit % blocksPerSegment : unit / segmentCount) * layout.block;
            own.run(first, isSegmentwise ? unit / blocksPerSegment : unit % segmentCount);
          }
          idle.add(own);
        });
  }

  /** {@return about how many bytes a thread keeps of the elements of a row} */
  private long bytesOfRow() {
    int kept = layout.isInPlace ? plan.saved.size() + given.computed().size() : plan.arrayCount();
    return (long) kept * plan.depth * Long.BYTES;
  }

  /** Reduces few long rows: their parts on all threads. */
  @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
  private void runApart(Object[] arrays, ComputedArray.Reader[] readers, KernelContext context) {
    int parts = plan.parts();
    int units = plan.rowCount * parts;
    int first = plan.arrayCount() + plan.reductions.size();
    context.reserving(
        (long) units * plan.reductions.size() * Long.BYTES,
        () -> "the partial results of " + describe(),
        () -> {
          Object[] partials =
              layout.types.stream()
                  .skip(first)
                  .map(type -> Storages.allocate(type, units))
                  .toArray();
          new Parallel(context, units, Math.max(1, Machine.GRAIN / Math.min(FULL, plan.contiguous)))
              .run((from, end) -> {
                Chunk own = new Chunk(arrays, readers, Math.min(parts, end - from));
                for (int unit = from; unit < end; ) {
                  int row = unit / parts;
                  int next = Math.min(end, (row + 1) * parts);
                  own.moveTo(row % plan.segment, row / plan.segment, 1);
                  own.reduceParts(passes.get(0), row, unit - row * parts, next - row * parts);
                  for (int k = 0; k < partials.length; k++) {
                    System.arraycopy(own.arrays[first + k], 0, partials[k], unit, next - unit);
                  }
                  unit = next;
                }
              });
          Chunk own = new Chunk(arrays, readers, parts);
          for (int row = 0; row < plan.rowCount; row++) {
            own.moveTo(row % plan.segment, row / plan.segment, 1);
            for (int k = 0; k < partials.length; k++) {
              System.arraycopy(partials[k], row * parts, own.arrays[first + k], 0, parts);
            }
            own.combineParts(passes.get(0));
            own.write(row, 1);
          }
        });
  }

  /** The arrays of a run, with workspaces that one thread uses at a time. */
  private final class Chunk {
    /** The arrays of the run, and the elements of a block that loops compute. */
    private final Object[] outer;

    private final ComputedArray.Reader[] readers;
    private final Pieces pieces = new Pieces();

    /** The arrays that the loops access. */
    private final Object[] arrays;

    private final int[] positions = new int[BlockPassCode.positions(plan)];

    /** The first row of the block in the tiles; -1 if there is none. */
    private int filled = -1;

    /** Receives the bits that the prefetch reads, so that C2 does not eliminate the reads. */
    private final long[] sink = new long[1];

    /**
     * Creates workspaces.
     *
     * @param parts the number of parts of a row that are reduced before they are combined or copied
     */
    Chunk(Object[] given, ComputedArray.Reader[] readers, int parts) {
      this.outer = given.clone();
      this.readers = readers;
      for (BlockPlan.Leaf leaf : plan.leaves) {
        if (leaf.isComputed()) {
          int size =
              layout.isReadInParts
                  ? PARTS_AT_ONCE * FULL + ContiguousReduceCode.UNIT
                  : layout.block * plan.depth;
          outer[leaf.number()] = Storages.allocate(layout.types.get(leaf.number()), size);
        }
      }
      this.arrays = outer.clone();
      Arrays.fill(positions, layout.lanes == Lanes.ROWS ? ALIGNED : 0);
      positions[stride(SHARED)] = plan.isParted() ? FULL : plan.depth;
      for (int i = 0; i < arrays.length; i++) {
        if (i < plan.arrayCount()) {
          positions[stride(i)] = layout.stride(i);
        }
        if (layout.isOwn[i]) {
          arrays[i] = Storages.allocate(layout.types.get(i), layout.ownSize(i, parts));
        }
      }
    }

    /** Computes a block of a side, beginning at row {@code first} of the side. */
    void run(int first, int segment) {
      int rows = Math.min(layout.block, plan.segment - first);
      int row = segment * plan.segment + first;
      moveTo(first, segment, rows);
      for (BlockPass pass : passes) {
        if (plan.isParted()) {
          reduceParts(pass, row, 0, plan.parts());
          combineParts(pass);
        } else {
          pieces.next((long) rows * plan.depth);
          run(pass.last(), rows);
        }
      }
      write(row, rows);
    }

    private void run(BlockPass.PassLoop loop, int rows) {
      positions[END] = loop.end();
      loop.loop().run(arrays, positions, 0, rows);
    }

    /** Moves the positions to a block of a side, and reads what loops do not access in place. */
    void moveTo(int first, int segment, int rows) {
      int row = segment * plan.segment + first;
      for (BlockPlan.Leaf leaf : plan.leaves) {
        int number = leaf.number();
        int start = leaf.offset() + leaf.segmentStarts().at(segment) + first * leaf.rowStride();
        if (leaf.isComputed() && !layout.isReadInParts) {
          compute(leaf, row * plan.depth, rows * plan.depth);
          start = 0;
        }
        if (!layout.isOwn[number]) {
          positions[start(number)] = start;
        } else if (filled != first || !leaf.isShared()) {
          read(leaf, start, rows);
        }
      }
      filled = layout.lanes == Lanes.ROWS ? first : -1;
      for (int i = plan.firstOutput; i < plan.arrayCount(); i++) {
        if (!layout.isOwn[i]) {
          positions[start(i)] = plan.isFullOutput(i) ? plan.start(row) : row;
        }
      }
      positions[start(SHARED)] = layout.isInPlace ? plan.start(row) : 0;
    }

    /** Computes the elements of some rows, or of a row of any length. */
    private void compute(BlockPlan.Leaf leaf, int first, int count) {
      for (int at = 0, next; at < count; at += next) {
        next = Math.min(PARTS_AT_ONCE * FULL, count - at);
        pieces.next(next);
        readers[-1 - leaf.input()].read(first + at, next, outer[leaf.number()], at);
      }
    }

    /**
     * Reduces some parts of a row to which this was moved.
     *
     * @param from the number of the first part
     * @param to the number of the part after the last
     */
    void reduceParts(BlockPass pass, int row, int from, int to) {
      int each = plan.partsOfContiguous;
      for (int part = from, count; part < to; part += count) {
        int number = part % each;
        boolean isLast = number == each - 1;
        int most =
            layout.isEvenlySpaced
                ? FULL / pass.last().length()
                : isLast ? 1 : Math.min(PARTS_AT_ONCE, each - 1 - number);
        count = Math.min(most, to - part);
        BlockPass.PassLoop loop = isLast ? pass.last() : pass.full().orElseThrow();
        pieces.next((long) count * loop.length());
        int[] start = positions.clone();
        moveToPart(row, part / each, number * FULL, count * loop.length());
        positions[PART] = part - from;
        run(loop, count);
        System.arraycopy(start, 0, positions, 0, start.length);
      }
    }

    /** Moves the positions from the start of a row to some of its elements. */
    private void moveToPart(int row, int reduced, int offset, int count) {
      for (int i = 0; i < plan.arrayCount(); i++) {
        if (layout.isOfElements(i)) {
          positions[start(i)] += offset;
        }
      }
      positions[start(SHARED)] += offset;
      for (BlockPlan.Leaf leaf : plan.leaves) {
        int number = leaf.number();
        if (leaf.isComputed() && layout.isReadInParts) {
          int first = plan.start(row) + plan.reducedStarts().at(reduced) + offset;
          positions[start(number)] =
              ContiguousReduceCode.UNIT; // the last part is read from before it
          readers[-1 - leaf.input()].read(first, count, outer[number], positions[start(number)]);
        } else {
          positions[start(number)] += leaf.reducedStarts().at(reduced);
        }
      }
    }

    /** Combines the initial values with what the parts of a row are reduced to, in order. */
    void combineParts(BlockPass pass) {
      pass.results().ifPresent(loop -> loop.run(arrays, positions, 0, 1));
    }

    /** Writes results that loops do not access in place. */
    void write(int row, int rows) {
      for (int i = plan.firstOutput; i < plan.arrayCount(); i++) {
        if (layout.isOwn[i]) {
          write(i, row, rows);
        }
      }
    }

    /** Copies or transposes a block that is read. */
    @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
    private void read(BlockPlan.Leaf leaf, int start, int rows) {
      Object from = outer[leaf.number()];
      Object to = arrays[leaf.number()];
      if (layout.lanes != Lanes.ROWS) {
        for (int k = 0; k < rows; k++) {
          System.arraycopy(from, start + k * leaf.rowStride(), to, k * plan.depth, plan.depth);
        }
        return;
      }
      if (leaf.rowStride() == plan.depth) {
        prefetch(from, start, rows);
      }
      int depth = leaf.isOfRow() ? 1 : plan.depth;
      int element = leaf.elementStride();
      StridedCopy.run(
          from, start, element, leaf.rowStride(), to, ALIGNED, layout.pitch, 1, depth, rows);
    }

    /** Copies or transposes a block of a result. */
    @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
    private void write(int array, int row, int rows) {
      int depth = plan.isFullOutput(array) ? plan.depth : 1;
      int to = row * depth;
      if (layout.lanes != Lanes.ROWS) {
        System.arraycopy(arrays[array], 0, outer[array], to, rows * depth);
        return;
      }
      prefetch(outer[array], to, rows);
      StridedCopy.run(
          arrays[array], ALIGNED, 1, layout.pitch, outer[array], to, depth, 1, rows, depth);
    }

    private void prefetch(Object array, int start, int rows) {
      if (layout.isFar) {
        sink[0] |= Storages.prefetch(array, start, start + rows * plan.depth);
      }
    }
  }

  /** Installs the vector forms now, even if C2 has not compiled them yet; for tests. */
  void prepare() {
    given.prepare();
    passes.stream().flatMap(BlockPass::loops).forEach(ReduceLoop::prepare);
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return plan.roots.size() == 1
        && !given.computeFrom(operand)
        && plan.isFull(0)
        && layout.isReadBeforeWritten()
        && plan.reads.keySet().stream()
            .filter(read -> read.input() == operand)
            .allMatch(plan.program::isInPlace);
  }

  @Override
  public String describe() {
    String parts = plan.isParted() ? ", parts " + plan.parts() : "";
    String blocks = ", blocks of " + layout.block + parts + ", passes " + plan.passCount;
    return "reduce rows "
        + plan.rowCount
        + "x"
        + plan.depth
        + layout.lanes.description
        + (layout.lanes == Lanes.NONE ? "" : blocks)
        + given.describe();
  }
}
