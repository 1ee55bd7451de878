package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.MovementRules.permutation;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Tuple;
import org.jspecify.annotations.Nullable;

/** Simplification of tuples that are taken apart and assembled again, and of dots of transposes. */
final class StructureRules implements Simplification.Rule {
  @Override
  public @Nullable HloInstruction apply(HloInstruction instruction, Rewriter rewriter) {
    return switch (instruction.op()) {
      case GetTupleElement op -> element(op, instruction.operands().get(0));
      case Tuple op -> whole(instruction);
      case Dot op -> untransposed(op, instruction, rewriter);
      default -> null;
    };
  }

  private static @Nullable HloInstruction element(GetTupleElement op, HloInstruction tuple) {
    return tuple.op() instanceof Tuple ? tuple.operands().get(op.index()) : null;
  }

  /** Replaces a tuple of all elements of another tuple by that one. */
  private static @Nullable HloInstruction whole(HloInstruction tuple) {
    ImmutableList<HloInstruction> elements = tuple.operands();
    if (elements.isEmpty() || elements.get(0).operands().isEmpty()) {
      return null;
    }
    HloInstruction source = elements.get(0).operands().get(0);
    for (int i = 0; i < elements.size(); i++) {
      HloInstruction element = elements.get(i);
      boolean isNext =
          element.op() instanceof GetTupleElement get
              && get.index() == i
              && element.operands().get(0) == source;
      if (!isNext) {
        return null;
      }
    }
    return source.shape().equals(tuple.shape()) ? source : null;
  }

  /**
   * Replaces a dot of a transpose by a dot with other dimension numbers, if the free dimensions
   * keep their order.
   */
  private static @Nullable HloInstruction untransposed(
      Dot op, HloInstruction dot, Rewriter rewriter) {
    HloInstruction lhs = dot.operands().get(0);
    HloInstruction rhs = dot.operands().get(1);
    Dims order = permutation(lhs);
    if (order != null && order.at(op.lhsFreeDims(order.count())).isStrictlyIncreasing()) {
      Dot other =
          dot(
              op,
              order.at(op.lhsBatchDims()),
              order.at(op.lhsContractingDims()),
              op.rhsBatchDims(),
              op.rhsContractingDims());
      return rewriter.newReplacement(dot, other, lhs.operands().get(0), rhs);
    }
    order = permutation(rhs);
    if (order != null && order.at(op.rhsFreeDims(order.count())).isStrictlyIncreasing()) {
      Dot other =
          dot(
              op,
              op.lhsBatchDims(),
              op.lhsContractingDims(),
              order.at(op.rhsBatchDims()),
              order.at(op.rhsContractingDims()));
      return rewriter.newReplacement(dot, other, lhs, rhs.operands().get(0));
    }
    return null;
  }

  private static Dot dot(
      Dot op, Dims lhsBatch, Dims lhsContracting, Dims rhsBatch, Dims rhsContracting) {
    return new Dot(
        lhsBatch,
        lhsContracting,
        rhsBatch,
        rhsContracting,
        op.operandPrecision(),
        op.algorithm(),
        op.preferredElementType());
  }
}
