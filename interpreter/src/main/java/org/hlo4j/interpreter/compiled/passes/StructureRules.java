package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.MovementRules.permutation;
import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.gemm.DotKernels;
import org.jspecify.annotations.Nullable;

/** Simplification of tuples that are taken apart and assembled again, and of dots of transposes. */
final class StructureRules implements Simplification.Rule {
  @Override
  public @Nullable HloInstruction apply(HloInstruction instruction, Rewriter rewriter) {
    return switch (instruction.op()) {
      case GetTupleElement _ -> element(instruction);
      case Tuple op -> whole(instruction);
      case Dot op -> untransposed(op, instruction, rewriter);
      default -> null;
    };
  }

  private static @Nullable HloInstruction element(HloInstruction instruction) {
    HloInstruction element = Rewriter.knownElement(instruction);
    return element == instruction ? null : element;
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
   * Replaces a dot of transposes by a dot with other dimension numbers, if the free dimensions keep
   * their order, and the products that of their additions.
   */
  private static @Nullable HloInstruction untransposed(
      Dot op, HloInstruction dot, Rewriter rewriter) {
    HloInstruction lhs = dot.operands().get(0);
    HloInstruction rhs = dot.operands().get(1);
    Dims left = order(lhs, op.lhsFreeDims(array(lhs).rank()));
    Dims right = order(rhs, op.rhsFreeDims(array(rhs).rank()));
    if (left.isStrictlyIncreasing() && right.isStrictlyIncreasing()) {
      return null;
    }
    Dot other =
        new Dot(
            left.at(op.lhsBatchDims()),
            left.at(op.lhsContractingDims()),
            right.at(op.rhsBatchDims()),
            right.at(op.rhsContractingDims()),
            op.operandPrecision(),
            op.algorithm(),
            op.preferredElementType());
    HloInstruction read =
        rewriter.newReplacement(dot, other, source(lhs, left), source(rhs, right));
    return DotKernels.addInSameOrder(dot, read) ? read : null;
  }

  /** Returns the dimensions of a transpose that keeps the free ones in order; else all in order. */
  private static Dims order(HloInstruction side, Dims free) {
    Dims order = permutation(side);
    return order != null && order.at(free).isStrictlyIncreasing()
        ? order
        : Dims.range(0, array(side).rank());
  }

  private static HloInstruction source(HloInstruction side, Dims order) {
    return order.isStrictlyIncreasing() ? side : side.operands().get(0);
  }
}
