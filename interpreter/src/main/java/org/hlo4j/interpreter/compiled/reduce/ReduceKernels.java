package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * The kernels of reduces, of fusions that contain reduces, and of cumulative reductions.
 *
 * <p>Results have the same bits as those of the reference, except for sums of floats. Like those of
 * the reference, these sums accumulate in double and are rounded once, but in an order that depends
 * on the sizes only. A sum of n elements differs from that of the reference by at most n * 2^-53 *
 * sum of |x| before that rounding; so a sum of f32 or a narrower type almost always has the same
 * bits. Terms along rows that are known not to be negative may first be added in pairs in f32: then
 * the sum is within 1 ulp.
 */
public final class ReduceKernels {
  /** The length of the shortest rows that are worth keeping separate. */
  private static final int MIN_INNER = 64;

  /**
   * The maximum number of results: more do not fit in one method, and the time to plan them is
   * quadratic in their number.
   */
  private static final int MAX_RESULTS = 1000;

  private ReduceKernels() {}

  /** {@return the kernel of a reduce, a cumulative reduction, or a fusion with reduces} */
  public static KernelChoice kernel(HloInstruction instruction) {
    if (isDynamic(instruction)) {
      return KernelChoice.decline("a dynamic shape");
    }
    return TooLargeException.orDecline(() ->
        instruction.op() instanceof Reduce
            ? ofReduce(instruction)
            : instruction.op() instanceof Fusion
                ? ofFusion(instruction.called().get(0))
                : scan(instruction));
  }

  /**
   * {@return the kernel of a reduce-window that is a cumulative sum, maximum or other reduction}
   * The window is as long as the array and covers all elements up to each position, or from it on.
   * There is no kernel for other instructions.
   */
  public static KernelChoice scan(HloInstruction instruction) {
    if (!(instruction.op() instanceof ReduceWindow)) {
      return KernelChoice.NONE;
    }
    return isDynamic(instruction)
        ? KernelChoice.decline("a dynamic shape")
        : TooLargeException.orDecline(() -> PrefixScans.kernel(instruction));
  }

  private static KernelChoice ofReduce(HloInstruction instruction) {
    HloInstruction operand = instruction.operands().get(0);
    if (isEmpty(operand)) {
      return KernelChoice.decline("no elements");
    }
    if (((Shape.Array) operand.shape()).elementCount() > Integer.MAX_VALUE) {
      return KernelChoice.decline("more elements than a Java array holds");
    }
    if (!ReduceGraph.isReal(operand)) {
      return KernelChoice.decline("no array of real numbers: " + operand.shape().withoutLayout());
    }
    ReduceGraph graph = new ReduceGraph(instruction.operands(), instruction, true, Map.of());
    return kernel(graph, elements(instruction), instruction.shape() instanceof Shape.Tuple);
  }

  private static KernelChoice kernel(
      ReduceGraph graph, List<HloInstruction> results, boolean isTuple) {
    if (results.size() > MAX_RESULTS) {
      return KernelChoice.decline("more results than one method has room for");
    }
    List<ReduceNode> roots = results.stream().map(graph::result).toList();
    if (graph.obstacle().isMet()) {
      return KernelChoice.decline(graph.obstacle().reason());
    }
    ReduceArrays given = ReduceArrays.of(graph, results, isTuple);
    List<Boolean> isFull = results.stream().map(graph::isFull).toList();
    return blocks(graph, roots, isFull, given)
        .kernel()
        .map(KernelChoice::of)
        .orElseGet(() -> new ReducePlanner(graph, roots, isFull, given).kernel());
  }

  /** {@return a kernel for contiguous rows, for one row per lane, or for short rows} */
  private static KernelChoice blocks(
      ReduceGraph graph, List<ReduceNode> roots, List<Boolean> isFull, ReduceArrays given) {
    long depth = graph.collapsed().depth();
    if (depth == 1
        || depth > Math.max(ContiguousReduceCode.MAX_ELEMENTS, RowPerLaneCode.MAX_ELEMENTS)
        || !BlockPlan.hasRows(graph.collapsed())) {
      return KernelChoice.decline("no rows, or long ones");
    }
    BlockPlan plan = new BlockPlan(graph, roots, isFull, graph.collapsed().isInnerReduced());
    if (plan.obstacle.isMet()) {
      return KernelChoice.decline(plan.obstacle.reason());
    }
    return ContiguousReduceKernel.of(plan, given)
        .or(() -> {
          BlockPlan joined =
              plan.hasSeparateSums() ? new BlockPlan(graph, roots, isFull, false) : plan;
          return RowPerLaneKernel.of(joined, given)
              .or(() -> ShortRowReduceKernel.of(joined, given));
        });
  }

  /**
   * {@return the elements of the result of a reduce; a result that is not a tuple is its only
   * element}
   */
  private static List<HloInstruction> elements(HloInstruction reduce) {
    if (!(reduce.shape() instanceof Shape.Tuple tuple) || !(reduce.op() instanceof Reduce)) {
      return List.of(reduce);
    }
    List<HloInstruction> elements = new ArrayList<>();
    for (int i = 0; i < tuple.elements().size(); i++) {
      elements.add(HloInstruction.of("element" + i, new GetTupleElement(i), reduce));
    }
    return elements;
  }

  /**
   * {@return the kernel of a fusion} The innermost dimension is merged with its neighbour if
   * possible. Its rows are kept separate if the operands of the fusion need other views for each of
   * them.
   */
  private static KernelChoice ofFusion(HloComputation computation) {
    List<HloInstruction> all = computation.instructions();
    Optional<HloInstruction> pattern =
        all.stream().filter(instruction -> instruction.op() instanceof Reduce).findFirst();
    if (pattern.isEmpty()) {
      return KernelChoice.decline("no reduce");
    }
    if (all.stream().anyMatch(ReduceKernels::isDynamic)) {
      return KernelChoice.decline("a dynamic shape");
    }
    if (all.stream().anyMatch(ReduceKernels::isEmpty)) {
      return KernelChoice.decline("an array without elements");
    }
    if (!ReduceGraph.isReal(pattern.get().operands().get(0))) {
      return KernelChoice.decline("complex numbers");
    }
    ReduceGraph graph = new ReduceGraph(computation.parameters(), pattern.get(), true, Map.of());
    return ofFusion(computation, graph)
        .or(() -> {
          ReduceGraph rows =
              new ReduceGraph(computation.parameters(), pattern.get(), false, Map.of());
          return rows.collapsed().inner() < MIN_INNER
              ? KernelChoice.decline("rows of fewer than " + MIN_INNER + " elements")
              : ofFusion(computation, rows);
        })
        .or(() -> withComputed(computation, pattern.get(), graph));
  }

  /** {@return the kernel of a fusion in which loops compute the movement ops that have no view} */
  private static KernelChoice withComputed(
      HloComputation computation, HloInstruction pattern, ReduceGraph first) {
    Map<HloInstruction, ComputedArray> computed = new LinkedHashMap<>();
    KernelChoice choice = KernelChoice.NONE;
    ReduceGraph graph = first;
    while (choice.kernel().isEmpty()) {
      int before = computed.size();
      for (HloInstruction moved : graph.obstructed()) {
        ComputedArray.of(computation, moved).ifPresent(array -> computed.put(moved, array));
      }
      if (computed.size() == before) {
        break;
      }
      graph = new ReduceGraph(computation.parameters(), pattern, true, computed);
      choice = ofFusion(computation, graph);
    }
    return choice;
  }

  private static KernelChoice ofFusion(HloComputation computation, ReduceGraph graph) {
    boolean isTuple = computation.root().shape() instanceof Shape.Tuple;
    return kernel(graph, results(computation), isTuple);
  }

  private static List<HloInstruction> results(HloComputation computation) {
    HloInstruction root = computation.root();
    return root.op() instanceof Tuple ? root.operands() : elements(root);
  }

  private static boolean isEmpty(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array && array.elementCount() == 0;
  }

  private static boolean isDynamic(HloInstruction instruction) {
    return instruction.shape().isDynamic()
        || instruction.operands().stream().anyMatch(operand -> operand.shape().isDynamic());
  }
}
