package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.copy.StridedCopy;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
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
  /** The approximate number of elements that stay in the nearest cache. */
  private static final int BLOCK = 4 * 1024;

  /** The number of rows of a block with a row per lane is a multiple of the first of these. */
  private static final int MIN_ROWS_PER_LANE = 16;

  private static final int MAX_ROWS_PER_LANE = 512;
  private static final int MAX_CHUNKS = 64;

  /** The number of floats in a cache line. The pitch of tiles is a multiple of it. */
  private static final int LINE = Machine.CACHE_LINE / Float.BYTES;

  /** The index of the first float of an array that is at the start of a cache line. */
  private static final int ALIGNED = 12;

  private final BlockPlan plan;
  private final Lanes lanes;
  private final ImmutableList<BlockPlan.Leaf> leaves;
  private final ReduceArrays given;
  private final ImmutableList<ElementType> types;
  private final int block;
  private final int pitch;

  /** Whether contiguous rows are accessed in place. */
  private final boolean isInPlace;

  /**
   * Whether the data is in no near cache. A block is then first read once from beginning to end,
   * before it is transposed.
   */
  private final boolean isFar;

  /** The loop of each pass. */
  private final ReduceLoop[] loops;

  /** The end of the whole iterations over a row in each pass. */
  private final int[] ends;

  /** For each array that loops access, whether it is one of the chunk, in place of a given one. */
  private final boolean[] isOwn;

  BlockReduceKernel(BlockPlan plan, Lanes lanes) {
    this.plan = plan;
    this.lanes = lanes;
    leaves = ImmutableList.copyOf(plan.leaves.values());
    given = plan.program.arrays();
    types = lanes == Lanes.ELEMENTS ? ContiguousReduceCode.types(plan) : plan.types();
    int most = BLOCK / plan.depth;
    block =
        lanes == Lanes.ROWS
            ? Math.min(
                plan.segment,
                Math.clamp(most, MIN_ROWS_PER_LANE, MAX_ROWS_PER_LANE)
                    / MIN_ROWS_PER_LANE
                    * MIN_ROWS_PER_LANE)
            : Math.clamp(most, 1, plan.segment);
    pitch = (block + LINE - 1) / LINE * LINE;
    isInPlace =
        !ContiguousReduceCode.sharesIndex(plan)
            || (plan.saved.isEmpty() && plan.reads.keySet().stream().allMatch(this::isLikeResult));
    isFar = (long) plan.rowCount * plan.depth >= ReducePlanner.MIN_FAR;
    loops =
        IntStream.range(0, plan.passCount)
            .mapToObj(pass -> BlockLoops.of(plan, pass, lanes, pitch))
            .toArray(ReduceLoop[]::new);
    ends =
        IntStream.range(0, plan.passCount)
            .map(
                pass -> lanes == Lanes.ELEMENTS ? ContiguousReduceCode.end(plan, pass) : plan.depth)
            .toArray();
    isOwn = new boolean[types.size()];
    for (int i = 0; i < isOwn.length; i++) {
      isOwn[i] = needsOwn(i);
    }
  }

  /** {@return whether elements that are read have the same indices as in a result} */
  private boolean isLikeResult(LoopNode.Read read) {
    return plan.leaf(read).isOfRow() || (read.input() >= 0 && plan.program.isInPlace(read));
  }

  /** {@return whether an array has elements of rows, rather than values of rows} */
  private boolean isOfElements(int array) {
    return array < leaves.size()
        ? !leaves.get(array).isOfRow()
        : array < plan.firstResult || plan.isFullOutput(array);
  }

  private boolean needsOwn(int array) {
    boolean isGiven =
        array < leaves.size() || (array >= plan.firstOutput && array < plan.arrayCount());
    return switch (lanes) {
      case ELEMENTS -> !isGiven || (isOfElements(array) ? !isInPlace : array >= leaves.size());
      case ROWS ->
          !isGiven
              || (array < leaves.size()
                  ? leaves.get(array).isTiled()
                  : plan.elementStride() == 1 && plan.isFullOutput(array));
      case NONE -> !isGiven;
    };
  }

  private int ownSize(int array) {
    int depth = isOfElements(array) ? plan.depth : 1;
    return lanes == Lanes.ROWS
        ? ALIGNED + depth * pitch
        : block * depth + ContiguousReduceCode.UNIT;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object[] inputs = given.inputs(operands);
    Object[] arrays = new Object[types.size()];
    for (BlockPlan.Leaf leaf : leaves) {
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
    Queue<Chunk> idle = new ConcurrentLinkedQueue<>();
    int segmentCount = plan.rowCount / plan.segment;
    int blocksPerSegment = Math.ceilDiv(plan.segment, block);
    int units = blocksPerSegment * segmentCount;
    int unitsPerChunk =
        Math.clamp(Machine.GRAIN / (block * plan.depth), Math.ceilDiv(units, MAX_CHUNKS), units);
    // The same block of all sides, if what they share is transposed once for all of them.
    boolean isSegmentwise = lanes != Lanes.ROWS || plan.elementStride() > 1;
    new Parallel(context, units, unitsPerChunk)
        .run((firstUnit, endUnit) -> {
          Chunk own = Optional.ofNullable(idle.poll()).orElseGet(() -> new Chunk(arrays, readers));
          Pieces pieces = new Pieces();
          for (int unit = firstUnit; unit < endUnit; unit++) {
            pieces.next((long) block * plan.depth);
            int first = (isSegmentwise ? unit % blocksPerSegment : unit / segmentCount) * block;
            own.run(first, isSegmentwise ? unit / blocksPerSegment : unit % segmentCount);
          }
          idle.add(own);
        });
  }

  /** The arrays of a run, with workspaces that one thread uses at a time. */
  private final class Chunk {
    /** The arrays of the run, and the elements of a block that loops compute. */
    private final Object[] outer;

    private final ComputedArray.Reader[] readers;

    /** The arrays that the loops access. */
    private final Object[] arrays;

    private final int[] positions = new int[ContiguousReduceCode.positions(plan)];

    /** The first row of the block in the tiles; -1 if there is none. */
    private int filled = -1;

    /** Receives the bits that the prefetch reads, so that C2 does not eliminate the reads. */
    private final long[] sink = new long[1];

    Chunk(Object[] given, ComputedArray.Reader[] readers) {
      this.outer = given.clone();
      this.readers = readers;
      for (BlockPlan.Leaf leaf : leaves) {
        if (leaf.isComputed()) {
          outer[leaf.number()] = Storages.allocate(types.get(leaf.number()), block * plan.depth);
        }
      }
      this.arrays = outer.clone();
      Arrays.fill(positions, lanes == Lanes.ROWS ? ALIGNED : 0);
      positions[ContiguousReduceCode.sharedStridePosition(plan)] = plan.depth;
      for (int i = 0; i < arrays.length; i++) {
        if (i < plan.arrayCount()) {
          positions[ContiguousReduceCode.stridePosition(plan, i)] =
              i < leaves.size() ? leaves.get(i).rowStride() : plan.depth;
        }
        if (isOwn[i]) {
          arrays[i] = Storages.allocate(types.get(i), ownSize(i));
        }
      }
    }

    /** Computes a block of a side, beginning at row {@code first} of the side. */
    void run(int first, int segment) {
      int rows = Math.min(block, plan.segment - first);
      int row = segment * plan.segment + first;
      for (BlockPlan.Leaf leaf : leaves) {
        int number = leaf.number();
        int start = leaf.offset() + leaf.segmentStarts().at(segment) + first * leaf.rowStride();
        if (leaf.isComputed()) {
          readers[-1 - leaf.input()].read(row * plan.depth, rows * plan.depth, outer[number], 0);
          start = 0;
        }
        if (!isOwn[number]) {
          positions[number] = start;
        } else if (filled != first || !leaf.isShared()) {
          read(leaf, start, rows);
        }
      }
      filled = lanes == Lanes.ROWS ? first : -1;
      for (int i = plan.firstOutput; i < plan.arrayCount(); i++) {
        if (!isOwn[i]) {
          positions[i] = plan.isFullOutput(i) ? plan.start(row) : row;
        }
      }
      positions[ContiguousReduceCode.sharedPosition(plan)] = isInPlace ? row * plan.depth : 0;
      for (int pass = 0; pass < loops.length; pass++) {
        positions[ContiguousReduceCode.endPosition(plan)] = ends[pass];
        loops[pass].run(arrays, positions, 0, rows);
      }
      for (int i = plan.firstOutput; i < plan.arrayCount(); i++) {
        if (isOwn[i]) {
          write(i, row, rows);
        }
      }
    }

    /** Copies or transposes a block that is read. */
    @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
    private void read(BlockPlan.Leaf leaf, int start, int rows) {
      Object from = outer[leaf.number()];
      Object to = arrays[leaf.number()];
      if (lanes != Lanes.ROWS) {
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
      StridedCopy.run(from, start, element, leaf.rowStride(), to, ALIGNED, pitch, 1, depth, rows);
    }

    /** Copies or transposes a block of a result. */
    @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
    private void write(int array, int row, int rows) {
      int depth = plan.isFullOutput(array) ? plan.depth : 1;
      int to = row * depth;
      if (lanes != Lanes.ROWS) {
        System.arraycopy(arrays[array], 0, outer[array], to, rows * depth);
        return;
      }
      prefetch(outer[array], to, rows);
      StridedCopy.run(arrays[array], ALIGNED, 1, pitch, outer[array], to, depth, 1, rows, depth);
    }

    private void prefetch(Object array, int start, int rows) {
      if (isFar) {
        sink[0] |= Storages.prefetch(array, start, start + rows * plan.depth);
      }
    }
  }

  /** Installs the vector forms now, even if C2 has not compiled them yet; for tests. */
  void prepare() {
    given.prepare();
    Arrays.stream(loops).forEach(ReduceLoop::prepare);
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return plan.roots.size() == 1
        && !given.computeFrom(operand)
        && plan.isFull(0)
        && isReadBeforeWritten()
        && plan.reads.keySet().stream()
            .filter(read -> read.input() == operand)
            .allMatch(plan.program::isInPlace);
  }

  /**
   * {@return whether an element is read for the last time before the element of the only result at
   * the same position is written} A tile is read as a whole before any of it is written. The last
   * vector of a contiguous row reads some elements again.
   */
  private boolean isReadBeforeWritten() {
    boolean isLastPass = plan.pass(plan.roots.get(0)) == plan.passCount - 1;
    return lanes == Lanes.ELEMENTS
        ? isLastPass && plan.depth % ContiguousReduceCode.UNIT == 0
        : isLastPass || isOwn[plan.firstOutput];
  }

  @Override
  public String describe() {
    String blocks = ", blocks of " + block + ", passes " + plan.passCount;
    return "reduce rows "
        + plan.rowCount
        + "x"
        + plan.depth
        + lanes.description
        + (lanes == Lanes.NONE ? "" : blocks)
        + given.describe();
  }
}
