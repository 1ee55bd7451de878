package org.hlo4j.interpreter.compiled.folds;

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
import org.hlo4j.interpreter.compiled.lanes.TooLargeException;
import org.hlo4j.interpreter.kernel.Kernel;

/**
 * Kernels of reduces, of fusions with reduces in them, and of cumulative folds.
 *
 * <p>All results are those of the reference, bit by bit, but for sums of floats: these accumulate
 * in double and are rounded once, as the reference's are, in an order that depends on the sizes
 * only. A sum of n elements differs from the reference's by at most n * 2^-53 * sum of |x| before
 * that rounding; so a sum of f32 or narrower almost always has the same bits.
 */
public final class Folds {
  private Folds() {}

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
   * Whether a computation, called by a fusion, can be run as one kernel.
   *
   * @param computation the computation: element-wise ops, movement, reduces that all fold alike
   */
  public static boolean canFuse(HloComputation computation) {
    try {
      plan(computation);
      return true;
    } catch (Unfit | UnsupportedOperationException | IllegalArgumentException unfit) {
      return false;
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
      return new EmptyKernel(
          arrays(instruction.shape()), instruction.shape() instanceof Shape.Tuple);
    }
    Graph graph = new Graph(instruction.operands(), instruction);
    List<HloInstruction> results = new ArrayList<>();
    if (instruction.shape() instanceof Shape.Tuple tuple) {
      for (int i = 0; i < tuple.elements().size(); i++) {
        results.add(HloInstruction.of("element" + i, new GetTupleElement(i), instruction));
      }
    } else {
      results.add(instruction);
    }
    boolean isTuple = instruction.shape() instanceof Shape.Tuple;
    return kernel(Planner.plan(graph, instruction.operands().size(), results, isTuple));
  }

  private static Kernel ofFusion(HloComputation computation) {
    return kernel(plan(computation));
  }

  private static Plan plan(HloComputation computation) {
    computation.instructions().forEach(Folds::requireStatic);
    if (computation.instructions().stream().anyMatch(Folds::isEmpty)) {
      throw new Unfit("an array without elements");
    }
    HloInstruction root = computation.root();
    boolean isTuple = root.op() instanceof Tuple;
    List<HloInstruction> results = isTuple ? root.operands() : ImmutableList.of(root);
    HloInstruction pattern =
        computation.instructions().stream()
            .filter(instruction -> instruction.op() instanceof Reduce)
            .findFirst()
            .orElseThrow(() -> new Unfit("no reduce"));
    Graph graph = new Graph(computation.parameters(), pattern);
    return Planner.plan(graph, computation.parameters().size(), results, isTuple);
  }

  private static Kernel kernel(Plan plan) {
    return plan.space().foldsInner() ? new RowKernel(plan) : new ColumnKernel(plan);
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
