package org.hlo4j.interpreter.compiled.reduce;

import java.util.Arrays;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * The kernel for rows that are too short for any preparation of a single row: each is reduced by
 * one call of a loop.
 */
final class ShortRowReduceKernel extends BlockReduceKernel {
  /**
   * The maximum length of a row: longer rows are better reduced by vectors, especially if their
   * elements are heavy to compute.
   */
  private static final int MAX_ELEMENTS = 256;

  private static final int MAX_HEAVY_ELEMENTS = 24;

  private ShortRowReduceKernel(BlockPlan plan) {
    super(
        plan,
        Math.clamp(BLOCK / plan.depth, 1, plan.segment),
        _ ->
            Tiered.scalar(
                ReduceLoop.class,
                "reduce_short_rows",
                emitter -> new ShortRowReduceCode(emitter, plan).write()));
  }

  /** {@return the kernel of a plan; a decline if rows are long, or need several passes} */
  static KernelChoice of(BlockPlan plan) {
    if (!plan.isInnerReduced() || plan.depth > MAX_ELEMENTS) {
      return KernelChoice.decline("no short rows");
    }
    if (plan.hasFullResults()) {
      return KernelChoice.decline("a result for each element of a row");
    }
    if (plan.passCount > 1) {
      return KernelChoice.decline("reduces what is reduced");
    }
    boolean isHeavy = plan.cost(0).operationsPerElement() > HEAVY;
    if ((isHeavy && plan.depth > MAX_HEAVY_ELEMENTS)
        || plan.reductions.isEmpty()
        || plan.leaves.size() > MAX_LEAVES) {
      return KernelChoice.decline("rows that take much, or read many arrays");
    }
    return TooLargeException.orDecline(() -> KernelChoice.of(new ShortRowReduceKernel(plan)));
  }

  @Override
  BlockRunner newBlockRunner(Object[] arrays) {
    int[] positions = new int[arrays.length];
    return (first, segment) -> {
      int end = Math.min(first + block, plan.segment);
      for (int row = first; row < end; row++) {
        Arrays.fill(positions, segment * plan.segment + row);
        for (BlockPlan.Leaf leaf : leaves) {
          positions[leaf.number()] =
              leaf.isComputed() ? (row - first) * plan.depth : start(leaf, row, segment);
        }
        loops[0].run(arrays, positions, 0, plan.depth);
      }
    };
  }

  @Override
  boolean runsSegmentwise() {
    return true;
  }

  @Override
  boolean isReadBeforeWritten(LoopNode root) {
    return false;
  }

  @Override
  public String describe() {
    return describe(", each in one loop");
  }
}
