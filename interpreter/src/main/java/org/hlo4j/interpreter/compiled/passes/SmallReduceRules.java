package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.expr.SingleOp;
import org.hlo4j.interpreter.engine.ScalarBodies;
import org.jspecify.annotations.Nullable;

/**
 * Unrolling of small reductions: a reduction of one element each, or of a few concatenated arrays,
 * becomes the ops of its reducer on whole arrays, which can be fused with all others, and one of no
 * elements the initial value. Sums of several floats stay, since a reduction rounds them only once.
 */
final class SmallReduceRules implements Simplification.Rule {
  private static final int MAX_PARTS = 8;
  private static final int MAX_OPS = 100;

  @Override
  public @Nullable HloInstruction apply(HloInstruction instruction, Rewriter rewriter) {
    if (!(instruction.op() instanceof Reduce reduce)) {
      return null;
    }
    HloComputation body = instruction.called().get(0);
    int count = count(reduce, instruction);
    boolean fits =
        count > 0
            && count * body.instructions().size() <= MAX_OPS
            && ScalarBodies.isElementwise(body);
    return count == 0 || fits ? reduced(reduce, instruction, count, rewriter) : null;
  }

  /** Returns how many elements are reduced into each result; -1 if they are not few. */
  private static int count(Reduce reduce, HloInstruction instruction) {
    HloInstruction first = instruction.operands().get(0);
    Dims reduced = array(first).sizes().at(reduce.dimensions());
    if (reduced.contains(0)) {
      return 0;
    } else if (reduced.stream().allMatch(size -> size == 1)) {
      return 1;
    }
    boolean isFew =
        isOfParts(first, reduce.dimensions())
            && reduced.get(0) <= MAX_PARTS
            && !isSumOfFloats(instruction);
    return isFew ? reduced.getInt(0) : -1;
  }

  /**
   * Returns whether an array is a concatenation of arrays of size 1 along the one reduced
   * dimension.
   */
  private static boolean isOfParts(HloInstruction array, Dims reduced) {
    return array.op() instanceof Concatenate concatenate
        && reduced.equals(Dims.of(concatenate.dimension()))
        && array.operands().size() == array(array).size(concatenate.dimension());
  }

  /** Returns whether a reduction is accumulated in double: sums of floats and complex numbers. */
  private static boolean isSumOfFloats(HloInstruction reduce) {
    ElementType type = array(reduce, 0).elementType();
    return (type.isFloating() || type.isComplex())
        && SingleOp.of(reduce.called().get(0)).equals(Optional.of(Elementwise.Kind.ADD));
  }

  private static HloInstruction reduced(
      Reduce reduce, HloInstruction instruction, int count, Rewriter rewriter) {
    int inputs = instruction.operands().size() / 2;
    Dims kept = reduce.kept(array(instruction, 0).rank());
    Dims sizes = array(instruction, 0).sizes().at(kept);
    List<HloInstruction> values = new ArrayList<>();
    for (HloInstruction initial : instruction.operands().subList(inputs, 2 * inputs)) {
      values.add(rewriter.broadcast(initial, array(initial).withSizes(sizes), Dims.of()));
    }
    for (int element = 0; element < count; element++) {
      List<HloInstruction> arguments = new ArrayList<>(values);
      for (HloInstruction input : instruction.operands().subList(0, inputs)) {
        arguments.add(rewriter.reshape(element(input, reduce, element, count, rewriter), sizes));
      }
      values = ScalarBodies.onArrays(instruction.called().get(0), arguments, sizes, rewriter::add);
    }
    return inputs == 1
        ? rewriter.newReplacement(instruction, new Reshape(array(instruction)), values.get(0))
        : rewriter.newReplacement(instruction, new Tuple(), values);
  }

  /** Returns the slice at one index of the reduced dimension. */
  private static HloInstruction element(
      HloInstruction input, Reduce reduce, int element, int count, Rewriter rewriter) {
    return count == 1
        ? input
        : rewriter.slice(input, reduce.dimensions().getInt(0), element, element + 1);
  }
}
