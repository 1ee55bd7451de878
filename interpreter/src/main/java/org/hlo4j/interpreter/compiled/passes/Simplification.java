package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Parameter;
import org.jspecify.annotations.Nullable;

/**
 * Simplification: replaces instructions by fewer or simpler ones that give the same bits, NaNs
 * included. Rules see operands that are simplified already, so one walk over a computation does
 * most of the work.
 */
final class Simplification extends Pass {
  private static final int MAX_STEPS = 16;

  /** A rule that simplifies an instruction. */
  interface Rule {
    /**
     * Returns the simpler instruction: one that has been placed already, or one made by {@link
     * Rewriter#newReplacement}; null if the rule does not apply.
     */
    @Nullable HloInstruction apply(HloInstruction instruction, Rewriter rewriter);
  }

  private static final ImmutableList<Rule> RULES =
      ImmutableList.of(
          new BatchNormRules(),
          new MovementRules(),
          new OneWindowRules(),
          new WindowRules(),
          new ArithmeticRules(),
          new BroadcastRules(),
          new SmallReduceRules(),
          new StructureRules());

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    return (computation, rewriter) ->
        rewriter.rewrite(computation, instruction -> simplified(instruction, rewriter));
  }

  private static HloInstruction simplified(HloInstruction instruction, Rewriter rewriter) {
    HloInstruction current = rewriter.updated(instruction);
    HloInstruction simpler = current;
    for (int step = 0; simpler != null && step < MAX_STEPS; step++) {
      current = simpler;
      simpler = simpler(current, rewriter);
    }
    return current;
  }

  private static @Nullable HloInstruction simpler(HloInstruction instruction, Rewriter rewriter) {
    if (instruction.op() instanceof Parameter
        || rewriter.isPlaced(instruction)
        || !rewriter.session().effects().isReplaceable(instruction)) {
      return null;
    }
    for (Rule rule : RULES) {
      HloInstruction simpler = rule.apply(instruction, rewriter);
      if (simpler != null) {
        rewriter.session().count(instruction.op().opcode() + " simplified");
        return simpler;
      }
    }
    return null;
  }

  /** Returns the shape of an operand that is an array. */
  static Shape.Array array(HloInstruction instruction, int operand) {
    return array(instruction.operands().get(operand));
  }

  /** Returns the shape of an array. */
  static Shape.Array array(HloInstruction instruction) {
    return (Shape.Array) instruction.shape();
  }
}
