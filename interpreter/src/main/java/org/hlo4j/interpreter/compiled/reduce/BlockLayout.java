package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.loops.LoopNode;

/**
 * How many rows are in a block of a {@link BlockPlan}, and where its loops access their elements:
 * in place, or in arrays of a thread.
 */
final class BlockLayout {
  /** The approximate number of elements that stay in the nearest cache. */
  private static final int BLOCK = 4 * 1024;

  /** The number of rows of a block with a row per lane is a multiple of the first of these. */
  private static final int MIN_ROWS_PER_LANE = 16;

  private static final int MAX_ROWS_PER_LANE = 512;

  /** The number of floats in a cache line. The pitch of tiles is a multiple of it. */
  private static final int LINE = Machine.CACHE_LINE / Float.BYTES;

  /** The index of the first float of an array that is at the start of a cache line. */
  static final int ALIGNED = 12;

  /** With as many elements or more, an array is in no near cache. */
  private static final int MIN_FAR = 1 << 21;

  final BlockPlan plan;
  final Lanes lanes;

  /** The element types of the arrays that loops access. */
  final ImmutableList<ElementType> types;

  /** The number of rows in a block. */
  final int block;

  /** The distance of neighbouring elements of a tile. */
  final int pitch;

  /** Whether contiguous rows are accessed in place. */
  final boolean isInPlace;

  /** Whether all parts of a row are last ones, and a constant distance apart. */
  final boolean isEvenlySpaced;

  /** Whether what is computed is read a few parts of a row at a time. */
  final boolean isReadInParts;

  /**
   * Whether the data is in no near cache. A block is then first read once from beginning to end,
   * before it is transposed.
   */
  final boolean isFar;

  /** For each array that loops access, whether it is one of the thread, in place of a given one. */
  final boolean[] isOwn;

  BlockLayout(BlockPlan plan, Lanes lanes) {
    this.plan = plan;
    this.lanes = lanes;
    types = lanes == Lanes.ELEMENTS ? ContiguousReduceCode.types(plan) : plan.types();
    int most = BLOCK / plan.depth;
    block =
        lanes == Lanes.ROWS
            ? Math.min(
                plan.segment,
                Math.clamp(most, MIN_ROWS_PER_LANE, MAX_ROWS_PER_LANE)
                    / MIN_ROWS_PER_LANE
                    * MIN_ROWS_PER_LANE)
            : plan.isParted() ? 1 : Math.clamp(most, 1, plan.segment);
    pitch = (block + LINE - 1) / LINE * LINE;
    isInPlace =
        !ContiguousReduceCode.sharesIndex(plan)
            || (plan.saved.isEmpty() && plan.reads.keySet().stream().allMatch(this::isLikeResult));
    isFar = (long) plan.rowCount * plan.depth >= MIN_FAR;
    isEvenlySpaced =
        plan.partsOfContiguous == 1
            && plan.isParted()
            && plan.leaves.stream()
                .allMatch(leaf -> !leaf.isComputed() && leaf.reducedStarts().sizes().length() <= 1);
    isReadInParts = plan.isParted() && !plan.storesElements();
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
  boolean isOfElements(int array) {
    return array < plan.leaves.size()
        ? !plan.leaves.get(array).isOfRow()
        : array < plan.firstResult || plan.isFullOutput(array);
  }

  private boolean needsOwn(int array) {
    boolean isGiven =
        array < plan.leaves.size() || (array >= plan.firstOutput && array < plan.arrayCount());
    return switch (lanes) {
      case ELEMENTS -> !isGiven || (isOfElements(array) ? !isInPlace : array >= plan.leaves.size());
      case ROWS ->
          !isGiven
              || (array < plan.leaves.size()
                  ? plan.leaves.get(array).isTiled()
                  : plan.elementStride() == 1 && plan.isFullOutput(array));
      case NONE -> !isGiven;
    };
  }

  /**
   * {@return the number of elements of an array of a thread}
   *
   * @param parts the number of parts of a row that are reduced before they are combined or copied
   */
  int ownSize(int array, int parts) {
    if (array >= plan.arrayCount() + plan.reductions.size()) {
      return parts + ContiguousReduceCode.UNIT;
    }
    int depth = isOfElements(array) ? plan.depth : 1;
    return lanes == Lanes.ROWS
        ? ALIGNED + depth * pitch
        : block * depth + ContiguousReduceCode.UNIT;
  }

  /** {@return the distance of what neighbouring rows, or parts of a row, have in an array} */
  int stride(int array) {
    if (isEvenlySpaced) {
      return array < plan.leaves.size() ? plan.leaves.get(array).reducedStarts().innerStride() : 0;
    } else if (plan.isParted()) {
      return isOfElements(array) ? ContiguousReduceCode.MAX_ELEMENTS : 0;
    }
    return array < plan.leaves.size()
        ? plan.leaves.get(array).rowStride()
        : isOfElements(array) ? plan.depth : 1;
  }

  /**
   * {@return whether an element is read for the last time before the element of the only result at
   * the same position is written} A tile is read as a whole before any of it is written. The last
   * vector of a contiguous row reads some elements again.
   */
  boolean isReadBeforeWritten() {
    boolean isLastPass = plan.pass(plan.roots.get(0)) == plan.passCount - 1;
    return lanes == Lanes.ELEMENTS
        ? isLastPass && plan.depth % ContiguousReduceCode.UNIT == 0
        : isLastPass || isOwn[plan.firstOutput];
  }
}
