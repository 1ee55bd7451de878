package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * A kernel that runs a {@link BlockPlan}. It processes a block of rows at a time and runs all
 * passes over the block while it is in the cache.
 */
abstract class BlockReduceKernel implements Kernel {
  static final int MIN_ROWS = 8;
  static final int MAX_LEAVES = 30;

  /** A pass with more operations than this, for an element or for a row, is heavy. */
  static final int HEAVY = 12;

  /** The approximate number of elements that stay in the nearest cache. */
  static final int BLOCK = 4 * 1024;

  private static final int MAX_CHUNKS = 64;

  final BlockPlan plan;
  final ImmutableList<BlockPlan.Leaf> leaves;
  final int block;
  final ReduceArrays given;

  /** The loop of each pass. */
  final ReduceLoop[] loops;

  /** The arrays of a chunk, of which some are workspaces, and what runs over them. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Chunk(Object[] arrays, BlockRunner runner) {}

  /** The arrays of a run, with a workspace that one chunk uses at a time. */
  interface BlockRunner {
    /** Computes a block of a side, beginning at row {@code first} of the side. */
    void run(int first, int segment);
  }

  BlockReduceKernel(BlockPlan plan, int block, IntFunction<ReduceLoop> loopOfPass) {
    this.plan = plan;
    this.leaves = ImmutableList.copyOf(plan.leaves.values());
    this.given = plan.program.arrays();
    this.block = block;
    this.loops = IntStream.range(0, plan.passCount).mapToObj(loopOfPass).toArray(ReduceLoop[]::new);
  }

  /** {@return the workspace of a chunk, for operands and results by their array indices} */
  abstract BlockRunner newBlockRunner(Object[] arrays);

  /**
   * {@return whether all blocks of a side run one after the other, rather than the same block of
   * all sides}
   */
  abstract boolean runsSegmentwise();

  /**
   * {@return whether an element is read for the last time before the element of the only result at
   * the same position is written}
   */
  abstract boolean isReadBeforeWritten(LoopNode root);

  @Override
  public final Literal run(Literal[] operands, KernelContext context) {
    Object[] inputs = given.inputs(operands);
    Object[] arrays = new Object[plan.arrayCount()];
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
    new Parallel(context, units, unitsPerChunk)
        .run((firstUnit, endUnit) -> {
          Chunk own = Optional.ofNullable(idle.poll()).orElseGet(() -> newChunk(arrays));
          Pieces pieces = new Pieces();
          for (int unit = firstUnit; unit < endUnit; unit++) {
            pieces.next((long) block * plan.depth);
            boolean isSegmentwise = runsSegmentwise();
            int first = (isSegmentwise ? unit % blocksPerSegment : unit / segmentCount) * block;
            int segment = isSegmentwise ? unit / blocksPerSegment : unit % segmentCount;
            compute(own.arrays, readers, first, segment);
            own.runner.run(first, segment);
          }
          idle.add(own);
        });
  }

  /** Returns a chunk with workspaces for a block of what is computed. */
  private Chunk newChunk(Object[] arrays) {
    Object[] own = arrays.clone();
    for (BlockPlan.Leaf leaf : leaves) {
      if (leaf.isComputed()) {
        ElementType type = given.computed().get(-1 - leaf.input()).type();
        own[leaf.number()] = Storages.allocate(type, block * plan.depth);
      }
    }
    return new Chunk(own, newBlockRunner(own));
  }

  private void compute(Object[] arrays, ComputedArray.Reader[] readers, int first, int segment) {
    int rows = Math.min(block, plan.segment - first);
    for (BlockPlan.Leaf leaf : leaves) {
      if (leaf.isComputed()) {
        int row = segment * plan.segment + first;
        readers[-1 - leaf.input()].read(
            row * plan.depth, rows * plan.depth, arrays[leaf.number()], 0);
      }
    }
  }

  /** {@return the position in its array at which a block of a leaf begins} */
  static int start(BlockPlan.Leaf leaf, int first, int segment) {
    return leaf.isComputed()
        ? 0
        : leaf.offset() + leaf.segmentStarts().at(segment) + first * leaf.rowStride();
  }

  /** Installs the vector forms now, even if C2 has not compiled them yet; for tests. */
  final void prepare() {
    given.prepare();
    Arrays.stream(loops).forEach(ReduceLoop::prepare);
  }

  @Override
  public final boolean canReuseOperandBuffer(int operand) {
    return plan.roots.size() == 1
        && !given.computeFrom(operand)
        && plan.isFull(0)
        && isReadBeforeWritten(plan.roots.get(0))
        && plan.reads.keySet().stream()
            .filter(read -> read.input() == operand)
            .allMatch(plan.program::isInPlace);
  }

  /** {@return the description of a kernel that reduces rows in some way} */
  final String describe(String way) {
    String rows = "reduce rows " + plan.rowCount + "x" + plan.depth;
    return rows + way + given.describe();
  }

  /** {@return the blocks and passes of the description of a kernel} */
  final String describeBlocks() {
    return ", blocks of " + block + ", passes " + plan.passCount;
  }
}
