package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.engine.ScalarBodies;
import org.jspecify.annotations.Nullable;

/**
 * Gathers and scatters with a single index vector, as dynamic slices and dynamic update slices.
 * Their start indices are scalars, which other passes and kernels can analyze.
 */
final class OneWindowRules implements Simplification.Rule {
  @Override
  public @Nullable HloInstruction apply(HloInstruction instruction, Rewriter rewriter) {
    if (instruction.op() instanceof Gather gather) {
      return gathered(gather, instruction, rewriter);
    }
    return instruction.op() instanceof Scatter scatter
        ? scattered(scatter, instruction, rewriter)
        : null;
  }

  /** Returns a gather as a dynamic slice. Both clamp the start indices so that the window fits. */
  private static @Nullable HloInstruction gathered(
      Gather op, HloInstruction gather, Rewriter rewriter) {
    if (array(gather, 1).elementCount() != op.startIndexMap().count()
        || !op.operandBatchingDims().isEmpty()
        || array(gather).elementCount() != op.sliceSizes().product()) {
      return null;
    }
    HloInstruction operand = gather.operands().get(0);
    List<HloInstruction> operands =
        starts(gather.operands().get(1), op.startIndexMap(), array(operand), rewriter);
    operands.addFirst(operand);
    HloInstruction slice = rewriter.add(new DynamicSlice(op.sliceSizes()), operands);
    return rewriter.newReplacement(gather, new Reshape(array(gather)), slice);
  }

  /**
   * Returns a scatter as {@code x[window] = inBounds ? combine(x[window], update) : x[window]}. A
   * scatter skips a window that is not entirely in bounds, whereas a slice clamps its start
   * indices.
   */
  private static @Nullable HloInstruction scattered(
      Scatter op, HloInstruction scatter, Rewriter rewriter) {
    Dims window =
        op.windowSizes(
            array(scatter, 0).rank(), array(scatter, scatter.operands().size() / 2 + 1).sizes());
    HloComputation combine = scatter.called().get(0);
    if (scatter.operands().size() != 3
        || array(scatter, 1).elementCount() != op.scatterDimsToOperandDims().count()
        || !op.inputBatchingDims().isEmpty()
        || array(scatter, 2).elementCount() != window.product()
        || window.product() == 0
        || array(scatter, 0).elementCount() == 0 // which has no place for a window
        || !(window.product() == 1 || ScalarBodies.isElementwise(combine))) {
      return null;
    }
    HloInstruction input = scatter.operands().get(0);
    Shape.Array shape = array(input);
    List<HloInstruction> starts =
        starts(scatter.operands().get(1), op.scatterDimsToOperandDims(), shape, rewriter);
    List<HloInstruction> read = new ArrayList<>(starts);
    read.addFirst(input);
    Dims sizes = window.product() == 1 ? Dims.of() : window;
    HloInstruction before = rewriter.reshape(rewriter.add(new DynamicSlice(window), read), sizes);
    HloInstruction update = rewriter.reshape(scatter.operands().get(2), sizes);
    HloInstruction after = combined(combine, before, update, sizes, rewriter);
    HloInstruction result =
        inBounds(starts, op.scatterDimsToOperandDims(), shape, window, rewriter)
            .map(isIn -> chosen(isIn, after, before, rewriter))
            .orElse(after);
    List<HloInstruction> written = new ArrayList<>(starts);
    written.add(0, input);
    written.add(1, rewriter.reshape(result, window));
    return rewriter.newReplacement(scatter, new DynamicUpdateSlice(), written);
  }

  /** Applies the combiner: any computation to one element, an element-wise one to whole arrays. */
  private static HloInstruction combined(
      HloComputation combine,
      HloInstruction before,
      HloInstruction update,
      Dims sizes,
      Rewriter rewriter) {
    ImmutableList<HloInstruction> arguments = ImmutableList.of(before, update);
    return sizes.count() == 0
        ? Inlining.inline(combine, arguments, rewriter)
        : ScalarBodies.onArrays(combine, arguments, sizes, rewriter::add).get(0);
  }

  private static HloInstruction chosen(
      HloInstruction isIn, HloInstruction after, HloInstruction before, Rewriter rewriter) {
    Shape.Array shape = array(isIn).withSizes(array(after).sizes());
    return rewriter.select(rewriter.broadcast(isIn, shape, Dims.of()), after, before);
  }

  /** Returns the start index of the window in each dimension of an array, as scalars. */
  private static List<HloInstruction> starts(
      HloInstruction indices, Dims map, Shape.Array array, Rewriter rewriter) {
    List<HloInstruction> starts = new ArrayList<>();
    for (int d = 0; d < array.rank(); d++) {
      int number = map.indexOf(d);
      starts.add(
          number < 0
              ? rewriter.constant(number(array(indices).elementType(), 0))
              : start(indices, map.count(), number, rewriter));
    }
    return starts;
  }

  private static HloInstruction start(
      HloInstruction indices, int count, int number, Rewriter rewriter) {
    if (count == 1) {
      return rewriter.reshape(indices, Dims.of());
    }
    HloInstruction vector = rewriter.reshape(indices, Dims.of(count));
    return rewriter.reshape(rewriter.slice(vector, 0, number, number + 1), Dims.of());
  }

  /** Returns whether no start index would be clamped; empty if there are no start indices. */
  private static Optional<HloInstruction> inBounds(
      List<HloInstruction> starts, Dims map, Shape.Array shape, Dims window, Rewriter rewriter) {
    Compare same = new Compare(Compare.Direction.EQ, Optional.empty());
    return map.stream()
        .mapToObj(d -> {
          HloInstruction start = starts.get((int) d);
          ElementType type = array(start).elementType();
          long greatest = type.bits() == Long.SIZE ? Long.MAX_VALUE : type.maxLong();
          long last = Math.min(shape.size((int) d) - window.get((int) d), greatest);
          HloInstruction zero = rewriter.constant(number(type, 0));
          HloInstruction most = rewriter.constant(number(type, last));
          return rewriter.add(same, start, rewriter.add(new Clamp(), zero, start, most));
        })
        .reduce((a, b) -> rewriter.add(Elementwise.Kind.AND, a, b));
  }

  private static Literal number(ElementType type, long number) {
    return Literal.full(Shape.of(type), number);
  }
}
