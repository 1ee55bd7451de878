package org.hlo4j.interpreter.compiled.passes;

import static java.util.Objects.requireNonNull;
import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.SetMultimap;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.interpreter.compiled.gemm.DotKernels;

/**
 * Removal of transposes of dots: if the only user of a dot is a transpose of its rows and columns,
 * the dot is computed with its sides exchanged. Nothing has to be transposed, and the users of the
 * transpose can be fused with the dot. Gradients of products have this form. Dots whose sums would
 * be added in another order stay.
 */
final class TransposedDots extends Pass {
  @Override
  boolean mayApply(HloModule module) {
    return anyMatch(module, TransposedDots::isOfDot);
  }

  private static boolean isOfDot(HloInstruction instruction) {
    return MovementRules.permutation(instruction) != null
        && instruction.operands().get(0).op() instanceof Dot;
  }

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    return (computation, rewriter) -> {
      SetMultimap<HloInstruction, HloInstruction> users = users(ImmutableList.of(computation));
      Rule rule =
          (given, current, _) ->
              isOfDot(given)
                      && users.get(given.operands().get(0)).size() == 1
                      && given.operands().get(0) != computation.root()
                  ? swapOperands(current, rewriter)
                  : current;
      return rewriteEach(rule).rewrite(computation, rewriter);
    };
  }

  /** Returns the dot that computes the transpose of another; the transpose if there is none. */
  private static HloInstruction swapOperands(HloInstruction transpose, Rewriter rewriter) {
    HloInstruction dot = transpose.operands().get(0);
    HloInstruction lhs = dot.operands().get(0);
    HloInstruction rhs = dot.operands().get(1);
    Dot op = (Dot) dot.op();
    int batches = op.lhsBatchDims().count();
    int rows = op.lhsFreeDims(array(lhs).rank()).count();
    int rank = array(dot).rank();
    Dims order = requireNonNull(MovementRules.permutation(transpose));
    Dims transposed = Dims.range(batches + rows, rank).concat(Dims.range(batches, batches + rows));
    if (op.algorithm().isPresent() || !order.subList(batches, rank).equals(transposed)) {
      return transpose;
    }
    Dims batch = order.subList(0, batches);
    Dot other =
        new Dot(
            op.rhsBatchDims().at(batch),
            op.rhsContractingDims(),
            op.lhsBatchDims().at(batch),
            op.lhsContractingDims(),
            op.operandPrecision().reverse(),
            Optional.empty(),
            Optional.of(array(dot).elementType()));
    HloInstruction swapped = rewriter.newReplacement(transpose, other, rhs, lhs);
    if (!DotKernels.addInSameOrder(dot, swapped)) {
      return transpose;
    }
    rewriter.session().count("transpose of a dot");
    return swapped;
  }
}
