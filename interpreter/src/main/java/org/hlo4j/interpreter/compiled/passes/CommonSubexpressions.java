package org.hlo4j.interpreter.compiled.passes;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.engine.Effects;

/**
 * Common subexpression elimination: instructions with the same op and the same operands become one.
 * Constants are equal if their bits are. Called computations are equal if their instructions are.
 */
final class CommonSubexpressions extends Pass {
  /** The number of instructions, or computations, up to which a weak hash is good enough. */
  private static final int FEW = 200;

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    Effects effects = session.effects();
    Map<HloComputation, HloComputation> canonical = canonicalComputations(module);
    return (computation, rewriter) -> merged(computation, rewriter, effects, canonical);
  }

  private static HloComputation merged(
      HloComputation computation,
      Rewriter rewriter,
      Effects effects,
      Map<HloComputation, HloComputation> canonical) {
    Map<Expression, HloInstruction> known = new HashMap<>();
    boolean areMany = computation.instructions().size() > FEW;
    return rewriter.rewrite(
        computation,
        instruction -> {
          HloInstruction updated = rewriter.updated(instruction);
          if (!isValue(instruction, effects)) {
            return updated;
          }
          Expression value =
              Expression.of(
                  updated, updated.operands(), each -> canonical.getOrDefault(each, each), areMany);
          HloInstruction first = known.computeIfAbsent(value, key -> updated);
          if (first != updated) {
            rewriter.session().count("common subexpression");
          }
          return first;
        });
  }

  private static boolean isValue(HloInstruction instruction, Effects effects) {
    boolean isElided =
        instruction.op() instanceof Constant constant
            && (constant.literal().isElided()
                || !(constant.literal().shape() instanceof Shape.Array));
    return !isElided && !(instruction.op() instanceof Parameter) && effects.isPure(instruction);
  }

  /** Returns for each computation the first one with the same instructions. */
  private static Map<HloComputation, HloComputation> canonicalComputations(HloModule module) {
    Map<List<Expression>, HloComputation> first = new HashMap<>();
    Map<HloComputation, HloComputation> canonical = new HashMap<>();
    boolean areMany = module.computations().size() > FEW;
    for (HloComputation computation : module.computations()) {
      if (computation != module.entry() && computation.instructions().size() <= 20) {
        List<Expression> lines =
            Expression.lines(computation, each -> canonical.getOrDefault(each, each), areMany);
        canonical.put(computation, first.computeIfAbsent(lines, key -> computation));
      }
    }
    return canonical;
  }
}
