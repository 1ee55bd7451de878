package org.hlo4j.interpreter.compiled.passes;

import java.util.List;
import java.util.OptionalInt;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.engine.DynamicShapes;
import org.hlo4j.interpreter.engine.Effects;

/**
 * Unrolling of a loop with a small, known number of iterations ({@link TripCount}): an element of
 * the state starts as a constant, grows by a constant in each iteration, and is compared with a
 * constant. The passes then know what each iteration reads, and the iterations can be fused.
 */
final class Unrolling extends Pass {
  private static final int MAX_ITERATIONS = 8;
  private static final int MAX_INSTRUCTIONS = 1000;
  private static final int MAX_TOTAL_INSTRUCTIONS = 5000;

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    Effects effects = session.effects();
    int[] remaining = {MAX_TOTAL_INSTRUCTIONS};
    return (computation, rewriter) ->
        rewriter.rewrite(
            computation,
            instruction ->
                instruction.op() instanceof While && !effects.hasEffect(instruction)
                    ? iterations(instruction, rewriter, remaining)
                    : rewriter.updated(instruction));
  }

  private static HloInstruction iterations(
      HloInstruction loop, Rewriter rewriter, int[] remaining) {
    HloComputation condition = rewriter.current(loop.called().get(0));
    HloComputation body = rewriter.current(loop.called().get(1));
    HloInstruction state = rewriter.current(loop.operands().get(0));
    OptionalInt iterations = TripCount.of(condition, body, state, MAX_ITERATIONS);
    int size = iterations.orElse(0) * body.instructions().size();
    boolean isProfitable =
        iterations.isPresent()
            && size <= Math.min(remaining[0], MAX_INSTRUCTIONS)
            && body.instructions().stream().noneMatch(DynamicShapes::hasDynamicShape);
    if (!isProfitable) {
      return rewriter.updated(loop);
    }
    remaining[0] -= size;
    rewriter.session().count("while unrolled");
    for (int iteration = 0; iteration < iterations.getAsInt(); iteration++) {
      state = Inlining.inline(body, List.of(state), rewriter);
    }
    return state;
  }
}
