package org.hlo4j.interpreter.compiled.reduce;

import java.util.stream.Stream;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.loops.Reduction;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * The planner of rows that are reduced in blocks: it finds what lanes hold, or why rows are not for
 * blocks.
 */
final class BlockPlanner {
  private static final int MIN_ROWS = 8;
  private static final int MAX_LEAVES = 30;

  /** A pass with more operations than this, for an element or for a row, is heavy. */
  private static final int HEAVY = 12;

  /** A pass with more operations than this is faster in loops of its own if rows are long. */
  private static final int VERY_HEAVY = 30;

  private static final int MAX_VERY_HEAVY = 2048;

  /**
   * The length of the shortest contiguous rows: shorter ones are better reduced with one row per
   * lane. The minimum is doubled if the operations on the results of a row are heavy, because they
   * are computed for one row at a time.
   */
  private static final int MIN_CONTIGUOUS = SummationOrder.MIN_ALONG;

  /**
   * The minimum length if all reductions are maxima or minima, whose result does not depend on the
   * order. That of sums must not depend on the vectors of the machine, so that they have the same
   * bits everywhere.
   */
  private static final int MIN_EXTREMUM =
      Machine.isVectorApiOn() && Machine.width(Float.SIZE) < ContiguousReduceCode.UNIT
          ? ContiguousReduceCode.UNIT
          : MIN_CONTIGUOUS;

  /** The minimum length if the lanes of some reduction are combined one by one. */
  private static final int MIN_ONE_BY_ONE = 64;

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
  private static final int MAX_HEAVY_ACROSS = 8 * 1024;

  /**
   * The maximum length of a row that is reduced without vectors, and that of one whose elements are
   * heavy to compute.
   */
  private static final int MAX_SHORT = 256;

  private static final int MAX_HEAVY_SHORT = 24;

  /** The length of the longest rows whose elements are saved for later passes. */
  private static final int MAX_SAVED = 1 << 22;

  private static final String SEVERAL_DIMENSIONS =
      "rows of several reduced dimensions with others between them";

  private final BlockPlan plan;

  private BlockPlanner(BlockPlan plan) {
    this.plan = plan;
  }

  /** {@return the kernel of a program, or a decline if its rows are none for blocks} */
  static KernelChoice kernel(RowProgram program) {
    ReductionSpace space = program.space();
    if (space.depth() == 1) {
      return KernelChoice.decline("rows of one element");
    } else if (!BlockPlan.hasRows(space)) {
      return KernelChoice.decline(SEVERAL_DIMENSIONS);
    }
    BlockPlan plan = new BlockPlan(program, space.isInnerReduced());
    if (plan.reductions.isEmpty()) {
      return KernelChoice.decline("no reduction");
    } else if (plan.leaves.size() > MAX_LEAVES) {
      return KernelChoice.decline(
          "reads of " + plan.leaves.size() + " arrays, want at most " + MAX_LEAVES);
    }
    return new BlockPlanner(plan)
        .kernel(Lanes.ELEMENTS)
        .or(() -> {
          BlockPlan joined = plan.hasSeparateSums() ? new BlockPlan(program, false) : plan;
          BlockPlanner planner = new BlockPlanner(joined);
          return planner.kernel(Lanes.ROWS).or(() -> planner.kernel(Lanes.NONE));
        });
  }

  private KernelChoice kernel(Lanes lanes) {
    String obstacle =
        switch (lanes) {
          case ELEMENTS -> contiguousObstacle();
          case ROWS -> rowPerLaneObstacle();
          case NONE -> shortRowObstacle();
        };
    return obstacle.isEmpty()
        ? TooLargeException.orDecline(() -> KernelChoice.of(new BlockReduceKernel(plan, lanes)))
        : KernelChoice.decline(obstacle);
  }

  /** {@return why rows have no lanes of contiguous elements; empty if they may have} */
  private String contiguousObstacle() {
    if (!plan.isInnerReduced()
        || !plan.leaves.stream().allMatch(leaf -> leaf.elementStride() <= 1)) {
      return "rows that are not contiguous";
    } else if (!plan.reductions.stream().allMatch(reduction -> reduction.body().isUnordered())) {
      return "a reduction whose order matters";
    } else if (plan.reducedStarts().count() > 1 && plan.storesElements()) {
      return "results for elements of several reduced dimensions with others between them";
    } else if (plan.depth > MAX_SAVED && !plan.saved.isEmpty()) {
      return "rows of length " + plan.depth + " to save, want at most " + MAX_SAVED;
    }
    int operations = plan.cost().mapToInt(PassCost::operationsPerElement).max().orElse(0);
    if (plan.depth > MAX_VERY_HEAVY && plan.hasFullResults() && operations > VERY_HEAVY) {
      return operations + " operations for each element, want at most " + VERY_HEAVY;
    }
    int least = minContiguous();
    return plan.contiguous < least
        ? plan.contiguous + " contiguous elements, want at least " + least
        : "";
  }

  private int minContiguous() {
    if (!singles().allMatch(ContiguousReduction::hasFastHorizontalReduction)) {
      return MIN_ONE_BY_ONE;
    }
    int least = singles().allMatch(SingleOpReducer::isChoice) ? MIN_EXTREMUM : MIN_CONTIGUOUS;
    return plan.cost().anyMatch(pass -> pass.operationsPerRow() > HEAVY) ? 2 * least : least;
  }

  private Stream<SingleOpReducer> singles() {
    return plan.reductions.stream().map(Reduction::body).map(SingleOpReducer::of);
  }

  /** {@return why rows have no lane each; empty if they may have} */
  private String rowPerLaneObstacle() {
    if (plan.reducedStarts().count() > 1 && plan.isInnerReduced()) {
      return SEVERAL_DIMENSIONS;
    } else if (plan.depth > RowPerLaneCode.MAX_ELEMENTS
        || (plan.depth > MAX_TRANSPOSED && isTransposed())) {
      return "rows of " + plan.depth + ", too long for one per lane";
    } else if (plan.segment < MIN_ROWS && !isOnlyForm()) {
      return plan.segment + " rows, too few for one per lane";
    }
    return plan.elementStride() > 1 && !isComputedNear()
        ? "rows that are better reduced where they lie"
        : "";
  }

  /**
   * {@return whether there is no other kernel} Few rows then have lanes, too, although most lanes
   * are idle.
   */
  private boolean isOnlyForm() {
    return plan.passCount > 1 || plan.hasFullResults();
  }

  /**
   * {@return whether rows that extend across the innermost dimension have something to compute for
   * each element, and have their elements close enough together}
   */
  private boolean isComputedNear() {
    int weight = plan.cost().mapToInt(PassCost::operationsPerElement).max().orElse(0);
    return weight > 0
        && plan.elementStride() <= MAX_ACROSS
        && (weight <= HEAVY || plan.elementStride() * plan.depth <= MAX_HEAVY_ACROSS);
  }

  private boolean isTransposed() {
    return plan.elementStride() == 1 || plan.leaves.stream().anyMatch(BlockPlan.Leaf::isTiled);
  }

  /** {@return why rows cannot do without lanes; empty if they can} */
  private String shortRowObstacle() {
    if (!plan.isInnerReduced()) {
      return "rows that are not contiguous";
    } else if (plan.reducedStarts().count() > 1) {
      return SEVERAL_DIMENSIONS;
    } else if (plan.depth > MAX_SHORT) {
      return "rows of length " + plan.depth + ", want at most " + MAX_SHORT;
    } else if (plan.hasFullResults()) {
      return "a result for each element of a row";
    } else if (plan.passCount > 1) {
      return "reduces what is reduced";
    }
    int operations = plan.cost(0).operationsPerElement();
    return operations > HEAVY && plan.depth > MAX_HEAVY_SHORT
        ? "rows of length %s with %s operations for each element, want at most %s, or a length of %s"
            .formatted(plan.depth, operations, HEAVY, MAX_HEAVY_SHORT)
        : "";
  }
}
