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
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;
import org.hlo4j.interpreter.engine.OpTraits.Trait;
import org.hlo4j.interpreter.engine.ScalarBodies;
import org.jspecify.annotations.Nullable;

/**
 * Simplification that applies element-wise ops where there are the fewest elements. Uniform values
 * are computed once and then broadcast. If only a part of an array is read, only that part is
 * computed. Dimensions of size 1 are added after element-wise ops, not before.
 */
final class BroadcastRules implements Simplification.Rule {
  @Override
  public @Nullable HloInstruction apply(HloInstruction instruction, Rewriter rewriter) {
    if (instruction.op() instanceof Constant) {
      return broadcast(instruction, rewriter);
    }
    if (instruction.op() instanceof Map) {
      return mapped(instruction, rewriter);
    }
    if (readsPart(instruction)) {
      return computedFromPart(instruction, rewriter);
    }
    return isElementwise(instruction) ? computedNarrow(instruction, rewriter) : null;
  }

  private static boolean isElementwise(HloInstruction instruction) {
    return OpTraits.of(instruction.op()).family() == Family.ELEMENTWISE
        && !(instruction.op() instanceof BitcastConvert)
        && !(instruction.op() instanceof StochasticConvert)
        && !instruction.operands().isEmpty()
        && !array(instruction).isScalar();
  }

  /**
   * Returns a map as the ops of its computation applied to whole arrays; null if they are not all
   * element-wise.
   */
  private static @Nullable HloInstruction mapped(HloInstruction map, Rewriter rewriter) {
    HloComputation body = map.called().get(0);
    return body.root().op() instanceof Parameter || !ScalarBodies.isElementwise(body)
        ? null
        : ScalarBodies.onArrays(body, map.operands(), array(map).sizes(), rewriter::add).get(0);
  }

  /** Returns a constant array with a single value as a broadcast of a scalar. */
  private static @Nullable HloInstruction broadcast(HloInstruction constant, Rewriter rewriter) {
    Optional<Literal> literal = UniformValues.constant(constant);
    if (literal.isEmpty()
        || literal.get().arrayShape().isScalar()
        || literal.get().elementCount() < 2) {
      return null;
    }
    Optional<Literal> value = Storages.uniform(literal.get());
    return value.isEmpty()
        ? null
        : rewriter.newReplacement(
            constant, new Broadcast(array(constant), Dims.of()), rewriter.constant(value.get()));
  }

  /** Returns whether an instruction reads fewer elements than its first operand has. */
  private static boolean readsPart(HloInstruction instruction) {
    OpTraits traits = OpTraits.of(instruction.op());
    return traits.family() == Family.MOVEMENT
        && (traits.has(Trait.CHEAP) || traits.has(Trait.INDEXED))
        && !instruction.operands().isEmpty()
        && array(instruction).elementCount() > 0 // a broadcast may have none
        && array(instruction).elementCount() < array(instruction, 0).elementCount();
  }

  /**
   * Replaces {@code gather(convert(x), i)} by {@code convert(gather(x, i))}. The op is as cheap to
   * recompute as its value is to read, so other users of the whole array do not matter.
   */
  private static @Nullable HloInstruction computedFromPart(HloInstruction part, Rewriter rewriter) {
    HloInstruction whole = part.operands().get(0);
    if (!isCheapOfOneArray(whole) || ConstantFolding.isFoldable(whole)) {
      return null;
    }
    List<HloInstruction> operands =
        whole.operands().stream().map(operand -> part(operand, part, rewriter)).toList();
    return rewriter.newReplacement(part, whole.op(), operands);
  }

  /**
   * Returns whether an op can be applied to a part of its operands instead. A bitcast-convert,
   * whose operand may have other sizes, and a stochastic-convert are never {@link Trait#CHEAP}.
   */
  private static boolean isCheapOfOneArray(HloInstruction instruction) {
    return OpTraits.of(instruction.op()).family() == Family.ELEMENTWISE
        && RecomputeCost.isCheap(instruction)
        && instruction.operands().stream()
                .filter(operand -> !UniformValues.isBroadcastScalar(operand))
                .distinct()
                .count()
            == 1;
  }

  /** Returns the same part of another array, which has the same sizes. */
  private static HloInstruction part(HloInstruction array, HloInstruction part, Rewriter rewriter) {
    HloInstruction scalar = UniformValues.broadcastScalar(array);
    if (scalar != array) {
      return rewriter.broadcast(scalar, array(array).withSizes(array(part).sizes()), Dims.of());
    }
    List<HloInstruction> operands = new ArrayList<>(part.operands());
    operands.set(0, array);
    return rewriter.add(part.op(), operands);
  }

  /**
   * Replaces an op on broadcasts of scalars by a broadcast of the op on the scalars. Moves reshapes
   * that only add or drop dimensions of size 1 behind the op, if all other operands are reshaped
   * from the same sizes.
   */
  private static @Nullable HloInstruction computedNarrow(
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
      } else if (!array(UniformValues.broadcastScalar(operand)).isScalar()) {
        return null;
      }
    }
    return sizes == null
        ? computed(instruction, Dims.of(), new Broadcast(array(instruction), Dims.of()), rewriter)
        : computed(instruction, sizes, new Reshape(array(instruction)), rewriter);
  }

  private static boolean isReshaped(HloInstruction operand, HloInstruction instruction) {
    return operand.op() instanceof Reshape
        && array(operand).sizes().equals(array(instruction).sizes());
  }

  private static boolean isNarrowing(Shape.Array from, Shape.Array to) {
    return from.sizes().at(MovementRules.wide(from)).equals(to.sizes().at(MovementRules.wide(to)));
  }

  /** Returns an op applied to operands of other sizes, and then a movement op. */
  private static HloInstruction computed(
      HloInstruction instruction, Dims sizes, Op moved, Rewriter rewriter) {
    List<HloInstruction> operands = new ArrayList<>();
    for (HloInstruction operand : instruction.operands()) {
      HloInstruction scalar = UniformValues.broadcastScalar(operand);
      operands.add(
          isReshaped(operand, instruction)
              ? operand.operands().get(0)
              : operand == scalar
                  ? operand
                  : rewriter.broadcast(scalar, array(operand).withSizes(sizes), Dims.of()));
    }
    HloInstruction computed =
        rewriter.add(instruction.op(), operands.toArray(new HloInstruction[0]));
    return rewriter.newReplacement(instruction, moved, computed);
  }
}
