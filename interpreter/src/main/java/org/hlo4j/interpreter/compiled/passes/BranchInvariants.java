package org.hlo4j.interpreter.compiled.passes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.passes.Pass.ModuleRewrite;
import org.hlo4j.interpreter.engine.Effects;

/**
 * Code motion out of branches: moves invariant code of the branches of a conditional into the
 * surrounding loop body, from which {@link LoopInvariants} moves it out of the loop. Only code that
 * depends on constants and on the state itself is moved, since only that is sure to leave the loop,
 * and only code that is cheap, since a branch may never run.
 *
 * @param session gives names
 * @param effects which computations have effects
 */
record BranchInvariants(Session session, Effects effects) {
  /**
   * Returns the computation with invariant code moved out of the branches of its conditionals.
   *
   * @param isInvariant which elements of its parameter are invariant
   */
  HloComputation hoist(HloComputation computation, IntPredicate isInvariant) {
    ModuleRewrite each =
        Pass.rewriteEach((_, current, rewriter) ->
            current.op() instanceof Conditional
                ? hoistFromBranches(current, isInvariant, rewriter)
                : current);
    return each.rewrite(computation, new Rewriter(session, Map.of(), false));
  }

  private HloInstruction hoistFromBranches(
      HloInstruction conditional, IntPredicate isInvariant, Rewriter rewriter) {
    List<HloInstruction> operands = new ArrayList<>(conditional.operands());
    List<HloComputation> branches = new ArrayList<>(conditional.called());
    for (int i = 0; i < branches.size(); i++) {
      HloInstruction operand = operands.get(i + 1);
      IntPredicate isPart = part -> isInvariantPart(operand, part, isInvariant);
      HloComputation branch = hoist(branches.get(i), isPart);
      InvariantCode code =
          new InvariantCode(branch, isPart, effects, LoopInvariants.MAX_SPECULATED);
      if (!code.moved().isEmpty()) {
        List<HloInstruction> values =
            Inlining.inline(code.code(), List.of(operand), rewriter).operands();
        var extension = new ParameterExtension(operand.shape(), values, session);
        int first = extension.shape().elements().size() - values.size();
        operands.set(i + 1, extension.extend(operand, values, rewriter));
        branches.set(i, extension.extendComputation(branch, code, first, false, true));
      }
    }
    return branches.equals(conditional.called())
        ? conditional
        : conditional.withOperands(operands).withCalled(branches);
  }

  /**
   * Returns whether an element of a branch's operand is invariant and exists already, without being
   * computed.
   */
  private static boolean isInvariantPart(
      HloInstruction operand, int part, IntPredicate isInvariant) {
    return switch (operand.op()) {
      case Parameter _ -> isInvariant.test(operand.shape() instanceof Shape.Tuple ? part : 0);
      case Tuple _ -> isAvailable(operand.operands().get(part), isInvariant);
      case Object _ -> isAvailable(operand, isInvariant);
    };
  }

  private static boolean isAvailable(HloInstruction value, IntPredicate isInvariant) {
    return LoopState.isElement(value, isInvariant) || UniformValues.constant(value).isPresent();
  }
}
