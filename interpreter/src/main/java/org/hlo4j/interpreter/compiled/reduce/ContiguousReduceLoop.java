package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * A factory of the loops of passes over contiguous rows. Loops are cached by the structure of the
 * pass.
 */
final class ContiguousReduceLoop {
  private static final int ROWS = 3;
  private static final int ITERATIONS = 2;

  private ContiguousReduceLoop() {}

  /** {@return the loop of a pass} */
  static ReduceLoop of(BlockPlan plan, int pass) {
    PassCost cost = plan.cost(pass);
    int width = Math.min(Machine.width(cost.widest()), ContiguousReduceCode.UNIT);
    int rest = plan.depth - end(plan, pass);
    return ReduceLoops.cached(
        List.of("along", rest, width, ContiguousReduceCode.sharesIndex(plan), cost.structure()),
        () ->
            TieredReduceLoop.of(
                "reduce_contiguous",
                emitter -> new ContiguousReduceCode(emitter, plan, pass).write(),
                width,
                1,
                plan.depth,
                () -> warmup(plan, pass, width)));
  }

  /** {@return the end of the whole iterations of a pass over a row} */
  static int end(BlockPlan plan, int pass) {
    return plan.depth - plan.depth % ContiguousReduceCode.iteration(plan, pass);
  }

  /** {@return a warm-up on a few rows with a few iterations each, whose number varies} */
  private static WarmupInput<ReduceLoop> warmup(BlockPlan plan, int pass, int width) {
    int iteration = ContiguousReduceCode.iteration(plan, pass);
    int stride = ITERATIONS * iteration + plan.depth % iteration;
    List<ElementType> types = new ArrayList<>(plan.types());
    types.addAll(ContiguousReduceCode.workspace(plan));
    Object[] arrays =
        types.stream().map(type -> WarmupInput.array(type, ROWS * stride + width)).toArray();
    int[] positions = new int[ContiguousReduceCode.positions(plan)];
    positions[ContiguousReduceCode.sharedStridePosition(plan)] = stride;
    for (int i = 0; i < plan.arrayCount(); i++) {
      positions[ContiguousReduceCode.stridePosition(plan, i)] = stride;
    }
    return (form, iterations) -> {
      positions[ContiguousReduceCode.endPosition(plan)] = (ITERATIONS - iterations % 2) * iteration;
      form.run(arrays, positions, Math.max(0, -iterations), Math.clamp(iterations, 0, ROWS));
    };
  }
}
