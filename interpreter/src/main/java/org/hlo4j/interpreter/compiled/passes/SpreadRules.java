package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.StochasticConvert;
import org.jspecify.annotations.Nullable;

/**
 * What is the same everywhere is computed once and then broadcast; dimensions of size 1 are added
 * after element-wise ops, not before.
 */
final class SpreadRules implements Simplification.Rule {
  @Override
  public @Nullable HloInstruction apply(HloInstruction instruction, Rewriter rewriter) {
    if (instruction.op() instanceof Constant) {
      return spread(instruction, rewriter);
    }
    if (instruction.op() instanceof Map) {
      return mapped(instruction, rewriter);
    }
    boolean isElementwise =
        OpFamily.of(instruction.op()) == OpFamily.ELEMENTWISE
            && !(instruction.op() instanceof BitcastConvert)
            && !(instruction.op() instanceof StochasticConvert)
            && !instruction.operands().isEmpty()
            && !array(instruction).isScalar();
    if (!isElementwise) {
      return null;
    }
    HloInstruction narrow = computedOnce(instruction, rewriter);
    return narrow == null ? reshapedAfter(instruction, rewriter) : narrow;
  }

  /** A computation of scalars applied to each element is its ops applied to arrays. */
  private static @Nullable HloInstruction mapped(HloInstruction map, Rewriter rewriter) {
    HloComputation body = map.called().get(0);
    return body.root().op() instanceof Parameter || !ScalarBodies.isElementwise(body)
        ? null
        : ScalarBodies.onArrays(body, map.operands(), array(map).sizes(), rewriter).get(0);
  }

  /** A constant of one value: a broadcast of a scalar. */
  private static @Nullable HloInstruction spread(HloInstruction constant, Rewriter rewriter) {
    Optional<Literal> literal = Splats.constant(constant);
    if (literal.isEmpty()
        || literal.get().arrayShape().isScalar()
        || literal.get().elementCount() < 2) {
      return null;
    }
    Optional<Literal> value = Splats.uniform(literal.get());
    return value.isEmpty()
        ? null
        : rewriter.instead(
            constant, new Broadcast(array(constant), Dims.of()), rewriter.constant(value.get()));
  }

  /** Of broadcasts of scalars: one of what is computed of the scalars. */
  private static @Nullable HloInstruction computedOnce(
      HloInstruction instruction, Rewriter rewriter) {
    List<HloInstruction> scalars = new ArrayList<>();
    for (HloInstruction operand : instruction.operands()) {
      HloInstruction scalar = Splats.unspread(operand);
      if (!array(scalar).isScalar()) {
        return null;
      }
      scalars.add(scalar);
    }
    HloInstruction once = rewriter.add(instruction.op(), scalars.toArray(new HloInstruction[0]));
    return rewriter.instead(instruction, new Broadcast(array(instruction), Dims.of()), once);
  }

  /**
   * Of reshapes that add or drop dimensions of size 1, all from the same sizes: one, afterwards.
   */
  private static @Nullable HloInstruction reshapedAfter(
      HloInstruction instruction, Rewriter rewriter) {
    Dims sizes = null;
    for (HloInstruction operand : instruction.operands()) {
      if (isReshaped(operand, instruction)) {
        Shape.Array from = array(operand, 0);
        boolean fits = isNarrowing(from, array(operand));
        if (!fits || (sizes != null && !sizes.equals(from.sizes()))) {
          return null;
        }
        sizes = from.sizes();
      } else if (!array(Splats.unspread(operand)).isScalar()) {
        return null;
      }
    }
    return sizes == null ? null : reshaped(instruction, sizes, rewriter);
  }

  private static boolean isReshaped(HloInstruction operand, HloInstruction instruction) {
    return operand.op() instanceof Reshape
        && array(operand).sizes().equals(array(instruction).sizes());
  }

  private static boolean isNarrowing(Shape.Array from, Shape.Array to) {
    return from.sizes().at(MovementRules.wide(from)).equals(to.sizes().at(MovementRules.wide(to)));
  }

  private static HloInstruction reshaped(
      HloInstruction instruction, Dims sizes, Rewriter rewriter) {
    List<HloInstruction> operands = new ArrayList<>();
    for (HloInstruction operand : instruction.operands()) {
      HloInstruction scalar = Splats.unspread(operand);
      operands.add(
          isReshaped(operand, instruction)
              ? operand.operands().get(0)
              : operand == scalar
                  ? operand
                  : rewriter.broadcast(scalar, array(operand).withSizes(sizes), Dims.of()));
    }
    HloInstruction computed =
        rewriter.add(instruction.op(), operands.toArray(new HloInstruction[0]));
    return rewriter.instead(instruction, new Reshape(array(instruction)), computed);
  }
}
