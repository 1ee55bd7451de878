package org.hlo4j.interpreter.compiled.reduce;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * A factory of the loops of passes with one row per lane. Loops are cached by the structure of the
 * pass.
 *
 * @param plan the plan of the kernel
 * @param pass the number of the pass
 * @param pitch the distance of neighbouring rows of a tile
 */
record RowPerLaneLoop(BlockPlan plan, int pass, int pitch) {
  private static final int MAX_WARMUP_DEPTH = 16;

  /** The approximate number of operations in a warm-up call: calls have to be short. */
  private static final int WARMUP_OPERATIONS = 500;

  private static final int[] VECTORS = {4, 2, 1};
  private static final int MAX_OPERATIONS = 24;

  /** {@return the loop of a pass} */
  static ReduceLoop of(BlockPlan plan, int pass, int pitch) {
    return ReduceLoops.cached(
        List.of(
            "side",
            pitch,
            plan.elementStride(),
            plan.accumulators(pass),
            plan.cost(pass).structure()),
        new RowPerLaneLoop(plan, pass, pitch)::tier);
  }

  /**
   * {@return the loop, unrolled to as many vectors as its operations and the size of its bytecode
   * allow}
   */
  private ReduceLoop tier() {
    int width = Machine.width(plan.cost(pass).widest());
    for (int vectors : VECTORS) {
      try {
        int operations = plan.cost(pass).operationsPerElement() * plan.accumulators(pass);
        if (vectors == 1 || vectors * operations <= MAX_OPERATIONS) {
          return tier(width, vectors);
        }
      } catch (TooLargeException fewer) {
        if (vectors == 1) {
          throw fewer;
        }
      }
    }
    throw new AssertionError("one vector at a time is among those tried");
  }

  private ReduceLoop tier(int width, int vectors) {
    return TieredReduceLoop.of(
        "reduce_rows_per_lane",
        emitter -> new RowPerLaneCode(emitter, plan, pass, pitch).write(vectors),
        width,
        width,
        plan.depth,
        () -> warmup(width, vectors));
  }

  /**
   * {@return a warm-up with the fewest elements that reach all loops} The iterations of the outer
   * and the inner loop vary.
   */
  private WarmupInput<ReduceLoop> warmup(int width, int vectors) {
    int most = WARMUP_OPERATIONS / (vectors + 1) / (plan.cost(pass).operationsPerElement() + 1);
    int depth = Math.min(Math.clamp(most, 2, MAX_WARMUP_DEPTH), plan.depth);
    int steps = 2 * vectors + 1;
    List<ElementType> types = plan.types();
    Object[] arrays = new Object[types.size()];
    for (int i = 0; i < arrays.length; i++) {
      int stride = Math.max(pitch, plan.elementStride());
      arrays[i] = WarmupInput.array(types.get(i), depth * stride + steps * width);
    }
    plan.leaves
        .values()
        .forEach(leaf -> {
          int stride = Math.max(pitch, leaf.elementStride());
          int number = leaf.number();
          arrays[number] = WarmupInput.array(types.get(number), depth * stride + steps * width);
        });
    int[] positions = new int[arrays.length + 1];
    return (form, iterations) -> {
      positions[arrays.length] = depth - iterations % 2;
      form.run(
          arrays, positions, Math.max(0, -iterations), Math.clamp(iterations, 0, steps) * width);
    };
  }
}
