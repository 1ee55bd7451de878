package org.hlo4j.check.shrink;

import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;

/** Replaces an instruction by the instructions of a computation that it calls. */
final class Inlining {
  private Inlining() {}

  /** Returns whether an op does no more than call a computation with its operands. */
  static boolean isCall(HloInstruction at) {
    if (at.called().size() != 1) {
      return false;
    }
    HloComputation callee = at.called().get(0);
    return callee.root().shape().compatible(at.shape())
        && callee.parameters().size() == at.operands().size()
        && callee.parameters().stream()
            .allMatch(each ->
                each.shape()
                    .compatible(at.operands().get(((Parameter) each.op()).number()).shape()));
  }

  static Edit.Change of(HloInstruction at) {
    return (draft, old, operands) -> draft.inlined(old.called().get(0), operands);
  }

  /** Returns the change of a conditional to one of its branches. */
  static Edit.Change branch(int number) {
    return (draft, old, operands) ->
        draft.inlined(old.called().get(number), operands.subList(number + 1, number + 2));
  }
}
