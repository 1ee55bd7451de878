package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Tuple;

/**
 * A pass that lets reductions and scatters of one array give the array, where the computation that
 * they apply gives a tuple of one: {@code reduce(x, init)} with {@code tuple(sum)} becomes {@code
 * tuple(reduce(x, init))} with {@code sum}. All later passes and kernels know the array alone.
 */
final class SingleTuples extends Pass {
  @Override
  boolean mayApply(HloModule module) {
    return anyMatch(module, SingleTuples::isSingle);
  }

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    return rewriteEach(
        (_, current, rewriter) -> isSingle(current) ? tupleOfArray(current, rewriter) : current);
  }

  private static boolean isSingle(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Reduce _, ReduceWindow _, Scatter _ ->
          instruction.shape() instanceof Shape.Tuple tuple && tuple.elements().size() == 1;
      default -> false;
    };
  }

  private static HloInstruction tupleOfArray(HloInstruction instruction, Rewriter rewriter) {
    HloComputation body = scalar(instruction.called().get(0), rewriter.session());
    HloInstruction array = rewriter.add(instruction.op(), instruction.operands(), body);
    return rewriter.newReplacement(instruction, new Tuple(), array);
  }

  /** Returns whether the root is a tuple that no instruction reads. */
  private static boolean isOnlyRoot(HloComputation body) {
    return body.root().op() instanceof Tuple
        && body.instructions().stream().noneMatch(each -> each.operands().contains(body.root()));
  }

  /** Returns a copy of a computation that gives the first element of its result. */
  private static HloComputation scalar(HloComputation body, Session session) {
    Rewriter copy = new Rewriter(session, ImmutableMap.of(), true);
    for (HloInstruction instruction : body.instructions()) {
      if (instruction != body.root() || !isOnlyRoot(body)) {
        copy.replace(instruction, copy.updated(instruction));
      }
    }
    HloInstruction root = body.root();
    HloInstruction first =
        root.op() instanceof Tuple
            ? copy.current(root.operands().get(0))
            : copy.add(new GetTupleElement(0), ImmutableList.of(copy.current(root)));
    return copy.build(session.fresh(body.name()), first);
  }
}
