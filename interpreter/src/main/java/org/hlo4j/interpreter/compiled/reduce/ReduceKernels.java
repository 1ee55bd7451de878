package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
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
import org.hlo4j.interpreter.engine.Kernel;

/**
 * Kernels of reduces, of fusions with reduces in them, and of cumulative reductions.
 *
 * <p>All results are those of the reference, bit by bit, but for sums of floats: these accumulate
 * in double and are rounded once, as the reference's are, in an order that depends on the sizes
 * only. A sum of n elements differs from the reference's by at most n * 2^-53 * sum of |x| before
 * that rounding; so a sum of f32 or narrower almost always has the same bits. Terms along rows that
 * are known not to be negative may be added in pairs in f32 first: within 1 ulp.
 */
public final class ReduceKernels {
  /** Rows that are shorter are not worth being apart. */
  private static final int MIN_INNER = 64;

  private ReduceKernels() {}

  /** The kernel of a reduce, or of a fusion with reduces; empty for what it does not do. */
  public static Optional<Kernel> kernel(HloInstruction instruction) {
    try {
      return switch (instruction.op()) {
        case Reduce reduce -> Optional.of(ofReduce(instruction));
        case ReduceWindow window -> Optional.of(ofWindow(instruction));
        case Fusion fusion -> Optional.of(ofFusion(instruction.called().get(0)));
        default -> Optional.empty();
      };
    } catch (Unfit
        | TooLargeException
        | UnsupportedOperationException
        | IllegalArgumentException unfit) {
      return Optional.empty();
    }
  }

  /**
   * The kernel of a reduce-window that is a cumulative sum, maximum and the like: a window as long
   * as the array, which covers all elements up to each, or from each on. Empty for all others.
   */
  public static Optional<Kernel> scan(HloInstruction instruction) {
    return instruction.op() instanceof ReduceWindow ? kernel(instruction) : Optional.empty();
  }

  private static Kernel ofWindow(HloInstruction instruction) {
    requireStatic(instruction);
    return PrefixScans.kernel(instruction);
  }

  private static Kernel ofReduce(HloInstruction instruction) {
    requireStatic(instruction);
    if (isEmpty(instruction.operands().get(0))) {
      return new EmptyReduceKernel(
          arrays(instruction.shape()), instruction.shape() instanceof Shape.Tuple);
    }
    ReduceGraph graph = new ReduceGraph(instruction.operands(), instruction, true);
    return kernel(
        graph,
        instruction.operands().size(),
        elements(instruction),
        instruction.shape() instanceof Shape.Tuple);
  }

  private static Kernel kernel(
      ReduceGraph graph, int operands, List<HloInstruction> results, boolean isTuple) {
    return blocks(graph, results, isTuple)
        .or(() -> shortRows(graph, results, isTuple))
        .orElseGet(() -> kernel(ReducePlanner.plan(graph, operands, results, isTuple)));
  }

  /** Rows along the contiguous dimension, or one row per lane. */
  private static Optional<Kernel> blocks(
      ReduceGraph graph, List<HloInstruction> results, boolean isTuple) {
    long depth = graph.collapsed().depth();
    if (depth == 1 || depth > Math.max(ContiguousReduceCode.LONGEST, RowPerLaneCode.MAX_ELEMENTS)) {
      return Optional.empty();
    }
    try {
      List<ReduceNode> roots = results.stream().map(graph::result).toList();
      List<Boolean> isFull = results.stream().map(graph::isFull).toList();
      BlockPlan plan = new BlockPlan(graph, roots, isFull, graph.collapsed().reductionsInner());
      BlockReduceKernel.Results given =
          new BlockReduceKernel.Results(
              ImmutableList.copyOf(graph.tables()), shapes(results), isTuple);
      return ContiguousReduceKernel.of(plan, given)
          .or(() ->
              RowPerLaneKernel.of(
                  plan.hasSumsApart() ? new BlockPlan(graph, roots, isFull, false) : plan, given));
    } catch (Unfit otherwise) {
      return Optional.empty();
    }
  }

  private static ImmutableList<Shape.Array> shapes(List<HloInstruction> results) {
    return results.stream()
        .map(result -> ((Shape.Array) result.shape()).withLayout(null))
        .collect(ImmutableList.toImmutableList());
  }

  private static Optional<Kernel> shortRows(
      ReduceGraph graph, List<HloInstruction> results, boolean isTuple) {
    if (results.stream().anyMatch(graph::isFull)) {
      return Optional.empty();
    }
    List<ReduceNode> roots = results.stream().map(graph::result).toList();
    return ShortRowReduceKernel.of(graph, roots, shapes(results), isTuple);
  }

  /** The elements of a reduce's result; what is no tuple is its own. */
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

  /** The rows of an array are apart if something else is read for each of them. */
  private static Kernel ofFusion(HloComputation computation) {
    try {
      return ofFusion(computation, graph(computation, true));
    } catch (Unfit straddling) {
      ReduceGraph rows = graph(computation, false);
      if (rows.collapsed().inner() < MIN_INNER) {
        throw straddling;
      }
      return ofFusion(computation, rows);
    }
  }

  private static Kernel ofFusion(HloComputation computation, ReduceGraph graph) {
    boolean isTuple = computation.root().shape() instanceof Shape.Tuple;
    return kernel(graph, computation.parameters().size(), results(computation), isTuple);
  }

  private static List<HloInstruction> results(HloComputation computation) {
    HloInstruction root = computation.root();
    return root.op() instanceof Tuple ? root.operands() : elements(root);
  }

  private static ReduceGraph graph(HloComputation computation, boolean joinsInner) {
    computation.instructions().forEach(ReduceKernels::requireStatic);
    if (computation.instructions().stream().anyMatch(ReduceKernels::isEmpty)) {
      throw new Unfit("an array without elements");
    }
    HloInstruction pattern =
        computation.instructions().stream()
            .filter(instruction -> instruction.op() instanceof Reduce)
            .findFirst()
            .orElseThrow(() -> new Unfit("no reduce"));
    return new ReduceGraph(computation.parameters(), pattern, joinsInner);
  }

  private static Kernel kernel(ReducePlan plan) {
    return plan.space().reductionsInner()
        ? new LongRowReduceKernel(plan)
        : new StridedReduceKernel(plan);
  }

  private static boolean isEmpty(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array && array.elementCount() == 0;
  }

  private static List<Shape.Array> arrays(Shape shape) {
    List<Shape> shapes = shape instanceof Shape.Tuple tuple ? tuple.elements() : List.of(shape);
    return shapes.stream().map(part -> ((Shape.Array) part).withLayout(null)).toList();
  }

  private static void requireStatic(HloInstruction instruction) {
    if (instruction.shape().isDynamic()
        || instruction.operands().stream().anyMatch(operand -> operand.shape().isDynamic())) {
      throw new Unfit("a dynamic shape");
    }
  }
}
