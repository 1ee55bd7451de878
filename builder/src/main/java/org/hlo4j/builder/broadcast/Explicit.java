package org.hlo4j.builder.broadcast;

import com.google.common.collect.ImmutableList;
import java.util.Comparator;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Broadcasting;

/**
 * The policy with XLA's rule, for two or more operands.
 *
 * @param broadcastDimensions the dimensions to which those of operands of lower rank are mapped
 */
record Explicit(Dims broadcastDimensions) implements Rule {
  @Override
  public Attempt attempt(ImmutableList<Operand> operands) {
    Operand highest = operands.stream().max(Comparator.comparingInt(Operand::rank)).orElseThrow();
    try {
      Shape.Array result = highest.shape();
      for (Operand operand : operands) {
        result = operand.equals(highest) ? result : merged(highest, result, operand, operands);
      }
      int rank = result.rank();
      return Attempt.placed(
          result.sizes(), operands.stream().map(operand -> dimensions(operand, rank)).toList());
    } catch (HloException refusal) {
      return Attempt.refused(refusal);
    }
  }

  /** Returns the merged operands so far and one more operand. */
  private Shape.Array merged(
      Operand highest, Shape.Array merged, Operand operand, ImmutableList<Operand> operands) {
    Broadcasting.Operand left =
        new Broadcasting.Operand(highest.name(), merged.withElementType(ElementType.F32));
    Broadcasting.Operand right =
        new Broadcasting.Operand(operand.name(), operand.shape().withElementType(ElementType.F32));
    boolean takesBroadcastDimensions =
        operands.size() == 2
            || isLower(operand, merged.rank())
            || operands.stream().noneMatch(other -> isLower(other, merged.rank()));
    return Broadcasting.binary(
        left, right, takesBroadcastDimensions ? broadcastDimensions : Dims.of());
  }

  private static boolean isLower(Operand operand, int rank) {
    return operand.rank() < rank && operand.rank() > 0;
  }

  private Dims dimensions(Operand operand, int rank) {
    return isLower(operand, rank) ? broadcastDimensions : Dims.range(0, operand.rank());
  }

  @Override
  public String toString() {
    return "explicit" + broadcastDimensions;
  }
}
