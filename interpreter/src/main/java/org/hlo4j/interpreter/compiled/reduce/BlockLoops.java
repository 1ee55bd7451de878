package org.hlo4j.interpreter.compiled.reduce;

import static org.hlo4j.interpreter.compiled.reduce.BlockPassCode.END;
import static org.hlo4j.interpreter.compiled.reduce.BlockPassCode.SHARED;
import static org.hlo4j.interpreter.compiled.reduce.BlockPassCode.stride;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * A factory of the loops of passes over blocks of rows. Loops are cached by the structure of the
 * pass.
 *
 * @param layout where the loops access their elements
 * @param pass the number of the pass
 * @param length the number of elements in a row, or in a part of it
 */
record BlockLoops(BlockLayout layout, int pass, int length) {
  /** The rows and the iterations of each in a warm-up call over contiguous rows. */
  private static final int ROWS = 3;

  private static final int ITERATIONS = 2;
  private static final int MAX_WARMUP_DEPTH = 16;

  /** The approximate number of operations in a warm-up call: calls have to be short. */
  private static final int WARMUP_OPERATIONS = 500;

  private static final int[] VECTORS = {4, 2, 1};
  private static final int MAX_OPERATIONS = 24;

  BlockPlan plan() {
    return layout.plan;
  }

  /** {@return the loop of the pass} */
  ReduceLoop loop() {
    return switch (layout.lanes) {
      case ELEMENTS -> contiguous();
      case ROWS ->
          ReduceLoops.cached(
              List.of(
                  "rows",
                  layout.pitch,
                  plan().elementStride(),
                  plan().accumulators(pass),
                  plan().cost(pass).structure()),
              this::rowPerLane);
      case NONE ->
          Tiered.scalar(
              ReduceLoop.class,
              "reduce_short_rows",
              emitter -> new RowPerLaneCode(emitter, this).write(1));
    };
  }

  /** {@return the code that combines the parts of a row, and stores its results} */
  ReduceLoop results() {
    return ReduceLoops.cached(
        List.of("results", plan().parts(), plan().cost(pass).structure()),
        () ->
            Tiered.scalar(
                ReduceLoop.class,
                "reduce_results",
                emitter -> new ContiguousReduceCode(emitter, plan(), pass, length).writeResults()));
  }

  private ReduceLoop contiguous() {
    PassCost cost = plan().cost(pass);
    int width = Math.min(Machine.width(cost.widest()), ContiguousReduceCode.UNIT);
    int rest = length - ContiguousReduceCode.end(plan(), pass, length);
    boolean sharesIndex = ContiguousReduceCode.sharesIndex(plan());
    return ReduceLoops.cached(
        List.of("elements", rest, width, sharesIndex, plan().isParted(), cost.structure()),
        () ->
            ReduceLoops.tiered(
                "reduce_contiguous",
                emitter -> new ContiguousReduceCode(emitter, plan(), pass, length).write(),
                width,
                1,
                length,
                () -> contiguousWarmup(width)));
  }

  /** {@return a warm-up on a few rows with a few iterations each, whose number varies} */
  private WarmupInput<ReduceLoop> contiguousWarmup(int width) {
    int iteration = ContiguousReduceCode.iteration(plan(), pass);
    int stride = ITERATIONS * iteration + length % iteration;
    Object[] arrays =
        ContiguousReduceCode.types(plan()).stream()
            .map(type -> WarmupInput.array(type, ROWS * stride + width))
            .toArray();
    int[] positions = new int[BlockPassCode.positions(plan())];
    positions[stride(SHARED)] = stride;
    for (int i = 0; i < plan().arrayCount(); i++) {
      positions[stride(i)] = stride;
    }
    return (form, iterations) -> {
      positions[END] = (ITERATIONS - iterations % 2) * iteration;
      form.run(arrays, positions, Math.max(0, -iterations), Math.clamp(iterations, 0, ROWS));
    };
  }

  /**
   * {@return the loop, unrolled to as many vectors as its operations and the size of its bytecode
   * allow}
   */
  private ReduceLoop rowPerLane() {
    int width = Machine.width(plan().cost(pass).widest());
    for (int vectors : VECTORS) {
      try {
        int operations = plan().cost(pass).operationsPerElement() * plan().accumulators(pass);
        if (vectors == 1 || vectors * operations <= MAX_OPERATIONS) {
          return rowPerLane(width, vectors);
        }
      } catch (TooLargeException fewer) {
        if (vectors == 1) {
          throw fewer;
        }
      }
    }
    throw new AssertionError("one vector at a time is among those tried");
  }

  private ReduceLoop rowPerLane(int width, int vectors) {
    return ReduceLoops.tiered(
        "reduce_rows_per_lane",
        emitter -> new RowPerLaneCode(emitter, this).write(vectors),
        width,
        width,
        plan().depth,
        () -> rowPerLaneWarmup(width, vectors));
  }

  /**
   * {@return a warm-up with the fewest elements that reach all loops} The iterations of the outer
   * and the inner loop vary.
   */
  private WarmupInput<ReduceLoop> rowPerLaneWarmup(int width, int vectors) {
    int most = WARMUP_OPERATIONS / (vectors + 1) / (plan().cost(pass).operationsPerElement() + 1);
    int depth = Math.min(Math.clamp(most, 2, MAX_WARMUP_DEPTH), plan().depth);
    int steps = 2 * vectors + 1;
    List<ElementType> types = plan().types();
    Object[] arrays = new Object[types.size()];
    for (int i = 0; i < arrays.length; i++) {
      int elementStride =
          i < plan().leaves.size() ? plan().leaves.get(i).elementStride() : plan().elementStride();
      int stride = Math.max(layout.pitch, elementStride);
      arrays[i] = WarmupInput.array(types.get(i), depth * stride + steps * width);
    }
    int[] positions = new int[BlockPassCode.positions(plan())];
    return (form, iterations) -> {
      positions[END] = depth - iterations % 2;
      form.run(
          arrays, positions, Math.max(0, -iterations), Math.clamp(iterations, 0, steps) * width);
    };
  }
}
