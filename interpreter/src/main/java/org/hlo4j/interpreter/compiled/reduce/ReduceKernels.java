package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.compiled.loops.Inputs;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * The kernels of reduces, of fusions that contain reduces, and of cumulative reductions.
 *
 * <p>Results have the same bits as those of the reference, except for sums of floats. Like those of
 * the reference, these sums accumulate in double and are rounded once, but in an order that depends
 * on the sizes only. A sum of n elements differs from that of the reference by at most n * 2^-53 *
 * sum of |x| before that rounding; so a sum of f32 or a narrower type almost always has the same
 * bits.
 */
public final class ReduceKernels {
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
    return orDecline(() ->
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
    return choose(
        new RowLowering.Source(
            Inputs.of(instruction),
            instruction,
            elements(instruction),
            instruction.shape() instanceof Shape.Tuple,
            _ -> Optional.empty()));
  }

  /**
   * {@return the kernel of a computation} Loops compute the elements that movement ops move where
   * no kernel finds its way along rows. Rows are shorter if operands have other strides for each.
   */
  private static KernelChoice choose(RowLowering.Source source) {
    if (source.results().size() > MAX_RESULTS) {
      return KernelChoice.decline("more results than one method has room for");
    }
    Set<HloInstruction> computed = new LinkedHashSet<>();
    RowProgram program;
    KernelChoice choice;
    do {
      program = RowLowering.lower(source, computed);
      RowProgram rows = program;
      choice =
          kernel(rows)
              .or(() ->
                  rows.withShorterRows()
                      .map(ReduceKernels::kernel)
                      .orElse(KernelChoice.decline("no contiguous rows")));
    } while (choice.kernel().isEmpty() && computed.addAll(program.obstructed()));
    return choice;
  }

  private static KernelChoice kernel(RowProgram program) {
    return orDecline(() -> BlockPlanner.kernel(program))
        .or(() ->
            orDecline(() -> KernelChoice.of(new ReduceKernel(new ReducePlanner(program).plan()))));
  }

  private static KernelChoice orDecline(Supplier<KernelChoice> choice) {
    try {
      return choice.get();
    } catch (NoCodeException none) {
      return none.decline();
    }
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

  /** {@return the kernel of a fusion} */
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
    if (!RowLowering.isReal(pattern.get().operands().get(0))) {
      return KernelChoice.decline("complex numbers");
    }
    Memo<HloInstruction, Optional<ComputedArray>> computing =
        new Memo<>(moved -> ComputedArray.of(computation, moved));
    return choose(
        new RowLowering.Source(
            Inputs.of(computation),
            pattern.get(),
            results(computation),
            computation.root().shape() instanceof Shape.Tuple,
            computing::get));
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
