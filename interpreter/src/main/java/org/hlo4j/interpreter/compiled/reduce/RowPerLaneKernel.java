package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.copy.Transposition;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * The kernel for short rows that are reduced with one row per lane. It processes a block of rows at
 * a time: it transposes operands unless neighbouring rows are already contiguous, runs the loops of
 * all passes, and transposes the results back.
 */
final class RowPerLaneKernel extends BlockReduceKernel {
  /**
   * The maximum length of rows that are transposed: longer rows are better reduced along the
   * contiguous dimension.
   */
  private static final int MAX_TRANSPOSED = 256;

  /**
   * The maximum size of an innermost dimension across which rows extend: in a larger one, the
   * elements of a row are too far apart.
   */
  private static final int MAX_ACROSS = 256;

  /**
   * The maximum number of elements across a whole innermost dimension if the computation is heavy.
   */
  private static final int MAX_HEAVY = 8 * 1024;

  /**
   * The minimum length of rows that are better reduced along the contiguous dimension if they are
   * only summed, in place.
   */
  private static final int MIN_SUMMED = 96;

  private static final int MIN_OF_BLOCK = 16;
  private static final int MAX_OF_BLOCK = 512;

  /** The number of floats in a cache line. The pitch is a multiple of it. */
  private static final int LINE = Machine.CACHE_LINE / Float.BYTES;

  /** The index of the first float of an array that is at the start of a cache line. */
  private static final int ALIGNED = 12;

  private final ImmutableList<ElementType> types;
  private final int pitch;

  /**
   * Whether the data is in no near cache. A block is then first read once from beginning to end.
   */
  private final boolean isFar;

  private RowPerLaneKernel(BlockPlan plan) {
    super(plan, block(plan), pass -> RowPerLaneLoop.of(plan, pass, pitch(block(plan))));
    this.types = ImmutableList.copyOf(plan.types());
    this.pitch = pitch(block);
    this.isFar = (long) plan.rowCount * plan.depth >= ReduceKernel.MIN_FAR;
  }

  /** {@return whether the loops access an operand or a result in a transposed tile} */
  private boolean isTiled(int array) {
    return array < leaves.size()
        ? leaves.get(array).isTiled()
        : plan.elementStride() == 1 && plan.isFullOutput(array);
  }

  private static int pitch(int block) {
    return (block + LINE - 1) / LINE * LINE;
  }

  private static int block(BlockPlan plan) {
    int most = Math.clamp(BLOCK / plan.depth, MIN_OF_BLOCK, MAX_OF_BLOCK);
    return Math.min(plan.segment, most / MIN_OF_BLOCK * MIN_OF_BLOCK);
  }

  /** {@return the kernel of a plan; a decline if rows are long or few} */
  static KernelChoice of(BlockPlan plan) {
    if (plan.reductions.isEmpty() || plan.leaves.size() > MAX_LEAVES) {
      return KernelChoice.decline("no reduction, or one of many arrays");
    }
    if (plan.depth > RowPerLaneCode.MAX_ELEMENTS
        || (plan.depth > MAX_TRANSPOSED && isTransposed(plan))) {
      return KernelChoice.decline("rows of " + plan.depth + ", too long for one per lane");
    }
    if (plan.segment < MIN_ROWS && !isOnlyForm(plan)) {
      return KernelChoice.decline(plan.segment + " rows, too few for one per lane");
    }
    if (plan.reductions.stream().allMatch(reduction -> isSummedInPlace(reduction, plan))
        || (plan.elementStride() > 1 && !isComputedNear(plan))) {
      return KernelChoice.decline("rows that are better reduced where they lie");
    }
    return TooLargeException.orDecline(() -> KernelChoice.of(new RowPerLaneKernel(plan)));
  }

  /**
   * {@return whether the only other kernel adds the terms of a sum in another order} Few rows are
   * then reduced here, too, although most lanes are idle.
   */
  private static boolean isOnlyForm(BlockPlan plan) {
    return plan.isInnerReduced()
        && plan.reductions.stream()
            .map(Reduction::body)
            .anyMatch(body -> body.isSum() && ReducePlanner.isInterleaved(body, plan.depth))
        && (plan.passCount > 1 || plan.hasFullResults());
  }

  /**
   * {@return whether rows that extend across the innermost dimension have something to compute for
   * each element, and have their elements close enough together}
   */
  private static boolean isComputedNear(BlockPlan plan) {
    int weight = plan.cost().mapToInt(PassCost::operationsPerElement).max().orElse(0);
    return weight > 0
        && plan.elementStride() <= MAX_ACROSS
        && (weight <= HEAVY || plan.elementStride() * plan.depth <= MAX_HEAVY);
  }

  private static boolean isTransposed(BlockPlan plan) {
    return plan.elementStride() == 1
        || plan.leaves.values().stream().anyMatch(BlockPlan.Leaf::isTiled);
  }

  /**
   * {@return whether a reduction only sums rows in place} Types narrower than f32 need more
   * operations for each element, which are faster with one row per lane.
   */
  private static boolean isSummedInPlace(Reduction reduction, BlockPlan plan) {
    return plan.elementStride() == 1
        && plan.depth >= MIN_SUMMED
        && reduction.body().isSum()
        && reduction.body().type().bits() >= Float.SIZE
        && reduction.inputs().get(0) instanceof LoopNode.Read read
        && requireNonNull(plan.leaves.get(read)).elementStride() == 1;
  }

  @Override
  BlockRunner newBlockRunner(Object[] arrays) {
    return new RowPerLaneBlockRunner(arrays);
  }

  /**
   * Returns false for operands with contiguous rows: the same block of all sides then follows, and
   * an operand that is the same for all sides is transposed once for all of them.
   */
  @Override
  boolean runsSegmentwise() {
    return plan.elementStride() > 1;
  }

  private final class RowPerLaneBlockRunner implements BlockRunner {
    private final Object[] given;
    private final Object[] arrays;
    private final int[] positions;
    private int filled = -1;

    /** Receives the bits that the prefetch reads, so that C2 does not eliminate the reads. */
    private final long[] sink = new long[1];

    RowPerLaneBlockRunner(Object[] given) {
      this.given = given;
      this.arrays = given.clone();
      this.positions = new int[given.length + 1];
      Arrays.fill(positions, ALIGNED);
      positions[given.length] = plan.depth;
      for (int i = 0; i < arrays.length; i++) {
        int rows = ownRows(i);
        if (rows > 0) {
          arrays[i] = Storages.allocate(types.get(i), ALIGNED + rows * pitch);
        }
      }
    }

    /**
     * {@return the number of rows of {@link #pitch} elements in a workspace; 0 if an array needs
     * none}
     */
    private int ownRows(int array) {
      if (array < leaves.size() && leaves.get(array).isOfRow()) {
        return isTiled(array) ? 1 : 0;
      } else if (array < leaves.size() || array >= plan.firstOutput) {
        return isTiled(array) ? plan.depth : 0;
      }
      return array < plan.firstResult ? plan.depth : 1;
    }

    @Override
    public void run(int first, int segment) {
      int rows = Math.min(block, plan.segment - first);
      for (int i = 0; i < leaves.size(); i++) {
        BlockPlan.Leaf leaf = leaves.get(i);
        int start = start(leaf, first, segment);
        if (!leaf.isTiled()) {
          positions[i] = start;
        } else if (filled != first || !leaf.isShared()) {
          if (leaf.rowStride() == plan.depth) {
            prefetch(given[i], start, rows);
          }
          int depth = leaf.isOfRow() ? 1 : plan.depth;
          Transposition.run(
              given[i],
              start,
              leaf.elementStride(),
              leaf.rowStride(),
              arrays[i],
              ALIGNED,
              pitch,
              depth,
              rows);
        }
      }
      filled = first;
      int row = segment * plan.segment + first;
      for (int i = plan.firstOutput; i < given.length; i++) {
        positions[i] = isTiled(i) ? ALIGNED : plan.isFullOutput(i) ? plan.start(row) : row;
      }
      for (ReduceLoop loop : loops) {
        loop.run(arrays, positions, 0, rows);
      }
      for (int i = plan.firstOutput; i < given.length; i++) {
        if (isTiled(i)) {
          prefetch(given[i], row * plan.depth, rows);
          Transposition.run(
              arrays[i], ALIGNED, pitch, given[i], row * plan.depth, plan.depth, rows, plan.depth);
        }
      }
    }

    private void prefetch(Object array, int start, int rows) {
      if (isFar) {
        sink[0] |= Storages.prefetch(array, start, start + rows * plan.depth);
      }
    }
  }

  /**
   * Returns true if a block is read as a whole, each element for itself, before any of it is
   * written, or if an element is read for the last time in the iteration that writes there.
   */
  @Override
  boolean isReadBeforeWritten(LoopNode root) {
    return isTiled(plan.firstOutput) || plan.pass(root) == plan.passCount - 1;
  }

  @Override
  public String describe() {
    return describe(" one per lane" + describeBlocks());
  }
}
