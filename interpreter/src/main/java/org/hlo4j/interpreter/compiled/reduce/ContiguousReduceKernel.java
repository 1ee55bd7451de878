package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * The kernel for contiguous rows of medium length. It processes a block of rows at a time. A
 * generated loop for each pass runs over the rows and, nested in it, over their elements, so that
 * the overhead for a row is small.
 */
final class ContiguousReduceKernel extends BlockReduceKernel {
  /**
   * The length of the shortest rows: shorter ones are better reduced with one row per lane. The
   * minimum is doubled if the operations on the results of a row are heavy, because this kernel
   * computes them for one row at a time.
   */
  private static final int MIN_ELEMENTS = SummationOrder.MIN_ALONG;

  /**
   * The minimum length if all reductions are maxima or minima, whose result does not depend on the
   * order. That of sums must not depend on the vectors of the machine, so that they have the same
   * bits everywhere.
   */
  private static final int MIN_EXTREMUM_ELEMENTS =
      Machine.isVectorApiOn() && Machine.width(Float.SIZE) < ContiguousReduceCode.UNIT
          ? ContiguousReduceCode.UNIT
          : MIN_ELEMENTS;

  /** The minimum length if the lanes of some reduction are combined one by one. */
  private static final int MIN_ONE_BY_ONE = 64;

  /**
   * The maximum length of heavy rows with a result for each element: shorter loops compute longer
   * rows better.
   */
  private static final int MAX_HEAVY_ELEMENTS = 2048;

  private final ImmutableList<ElementType> types;

  /** Whether the loops access operands and results in place. */
  private final boolean isInPlace;

  /** The end of the whole iterations of each pass. */
  private final int[] ends;

  private ContiguousReduceKernel(BlockPlan plan) {
    super(
        plan,
        Math.clamp(BLOCK / plan.depth, 1, plan.segment),
        pass -> ContiguousReduceLoop.of(plan, pass));
    this.types =
        ImmutableList.<ElementType>builder()
            .addAll(plan.types())
            .addAll(ContiguousReduceCode.workspace(plan))
            .build();
    this.isInPlace =
        !ContiguousReduceCode.sharesIndex(plan)
            || (plan.saved.isEmpty()
                && plan.leaves.entrySet().stream().allMatch(this::isIndexedLikeResult));
    this.ends =
        IntStream.range(0, plan.passCount)
            .map(pass -> ContiguousReduceLoop.end(plan, pass))
            .toArray();
  }

  /**
   * {@return the kernel of a plan; a decline if rows are short or long, are not contiguous in
   * memory, or have to be reduced in order}
   */
  static KernelChoice of(BlockPlan plan) {
    if (!plan.isInnerReduced()
        || !plan.leaves.values().stream().allMatch(ContiguousReduceKernel::isContiguous)) {
      return KernelChoice.decline("rows that are not contiguous");
    }
    if (plan.reductions.isEmpty()
        || !plan.reductions.stream().allMatch(reduction -> reduction.body().isUnordered())) {
      return KernelChoice.decline("a reduction whose order matters");
    }
    if (plan.depth < minElements(plan) || plan.depth > maxElements(plan)) {
      return KernelChoice.decline("rows of " + plan.depth + ", too short or too long");
    }
    if (plan.leaves.size() > MAX_LEAVES) {
      return KernelChoice.decline("a reduction of many arrays");
    }
    return TooLargeException.orDecline(() -> KernelChoice.of(new ContiguousReduceKernel(plan)));
  }

  /** {@return whether a leaf has its elements at the same indices as a result} */
  private boolean isIndexedLikeResult(Map.Entry<LoopNode, BlockPlan.Leaf> leaf) {
    return leaf.getValue().isOfRow()
        || (!leaf.getValue().isComputed() && plan.program.isInPlace((LoopNode.Read) leaf.getKey()));
  }

  private static int minElements(BlockPlan plan) {
    if (!plan.reductions.stream()
        .allMatch(reduction ->
            ContiguousReduction.hasFastHorizontalReduction(SingleOpReducer.of(reduction.body())))) {
      return MIN_ONE_BY_ONE;
    }
    boolean isChosen =
        plan.reductions.stream()
            .allMatch(reduction -> SingleOpReducer.of(reduction.body()).isChoice());
    int least = isChosen ? MIN_EXTREMUM_ELEMENTS : MIN_ELEMENTS;
    return plan.cost().anyMatch(pass -> pass.operationsPerRow() > HEAVY) ? 2 * least : least;
  }

  private static int maxElements(BlockPlan plan) {
    boolean isHeavy = plan.cost().anyMatch(pass -> pass.operationsPerElement() > HEAVY);
    return isHeavy && plan.hasFullResults()
        ? MAX_HEAVY_ELEMENTS
        : ContiguousReduceCode.MAX_ELEMENTS;
  }

  private static boolean isContiguous(BlockPlan.Leaf leaf) {
    return leaf.isOfRow() || leaf.elementStride() == 1;
  }

  @Override
  BlockRunner newBlockRunner(Object[] arrays) {
    return new ContiguousBlockRunner(arrays);
  }

  @Override
  boolean runsSegmentwise() {
    return true;
  }

  private final class ContiguousBlockRunner implements BlockRunner {
    private final Object[] given;
    private final Object[] arrays;
    private final int[] positions = new int[ContiguousReduceCode.positions(plan)];

    ContiguousBlockRunner(Object[] given) {
      this.given = given;
      this.arrays = Arrays.copyOf(given, types.size());
      positions[ContiguousReduceCode.sharedStridePosition(plan)] = plan.depth;
      for (int i = 0; i < plan.arrayCount(); i++) {
        boolean isLeaf = i < leaves.size();
        int stride = isLeaf ? leaves.get(i).rowStride() : plan.depth;
        positions[ContiguousReduceCode.stridePosition(plan, i)] = stride;
        if (isCopied(i) || (!isLeaf && !plan.isFullOutput(i))) {
          int rows = isOfElements(i) ? block * plan.depth : block;
          arrays[i] = Storages.allocate(types.get(i), rows + ContiguousReduceCode.UNIT);
        }
      }
      for (int i = plan.arrayCount(); i < arrays.length; i++) {
        arrays[i] = Storages.allocate(types.get(i), ContiguousReduceCode.UNIT);
      }
    }

    private boolean isOfElements(int array) {
      return array < leaves.size()
          ? !leaves.get(array).isOfRow()
          : array < plan.firstResult || plan.isFullOutput(array);
    }

    /** {@return whether the loops access a copy of an operand or a result} */
    private boolean isCopied(int array) {
      boolean isGiven = array < leaves.size() || array >= plan.firstOutput;
      return !isInPlace && isGiven && isOfElements(array);
    }

    @Override
    @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
    public void run(int first, int segment) {
      int rows = Math.min(block, plan.segment - first);
      int row = segment * plan.segment + first;
      for (int i = 0; i < leaves.size(); i++) {
        BlockPlan.Leaf leaf = leaves.get(i);
        positions[i] = start(leaf, first, segment);
        if (isCopied(i)) {
          for (int k = 0; k < rows; k++) {
            int from = positions[i] + k * leaf.rowStride();
            System.arraycopy(given[i], from, arrays[i], k * plan.depth, plan.depth);
          }
        }
      }
      for (int i = plan.firstOutput; i < plan.arrayCount(); i++) {
        positions[i] = plan.isFullOutput(i) ? row * plan.depth : 0;
      }
      positions[ContiguousReduceCode.sharedPosition(plan)] = isInPlace ? row * plan.depth : 0;
      for (int pass = 0; pass < loops.length; pass++) {
        positions[ContiguousReduceCode.endPosition(plan)] = ends[pass];
        loops[pass].run(arrays, positions, 0, rows);
      }
      for (int i = plan.firstOutput; i < plan.arrayCount(); i++) {
        if (!plan.isFullOutput(i)) {
          System.arraycopy(arrays[i], 0, given[i], row, rows);
        } else if (isCopied(i)) {
          System.arraycopy(arrays[i], 0, given[i], row * plan.depth, rows * plan.depth);
        }
      }
    }
  }

  /**
   * Returns true if an element is read for the last time in the iteration that writes the result at
   * its position. Otherwise, the last vector of a row reads some elements again, or a later pass
   * does.
   */
  @Override
  boolean isReadBeforeWritten(LoopNode root) {
    return plan.depth % ContiguousReduceCode.UNIT == 0 && plan.pass(root) == plan.passCount - 1;
  }

  @Override
  public String describe() {
    return describe(" contiguous" + describeBlocks());
  }
}
