package org.hlo4j.interpreter.compiled.loops;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.LruCache;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/** A cache of generated loops. Stages of the same structure share one loop. */
final class LoopMethods {
  private static final int MAX_KEPT = 2_000;

  /** The number of elements that makes the vector form worth its warm-up. */
  static final long WARMUP_THRESHOLD = 1 << 15;

  private static final LruCache<List<Object>, Tiered<LoopMethod>> ALL = new LruCache<>(MAX_KEPT);

  private LoopMethods() {}

  /**
   * Returns the loop of a stage.
   *
   * @throws TooLargeException if its code is too long
   */
  static Tiered<LoopMethod> of(StageCode stage) {
    return ALL.get(stage.structure(), () -> make(stage));
  }

  private static Tiered<LoopMethod> make(StageCode stage) {
    Consumer<CodeEmitter> writing = emitter -> new LoopMethodWriter(emitter, stage).write();
    Supplier<WarmupInput<LoopMethod>> warmup = () -> warmup(stage);
    return Tiered.of(LoopMethod.class, "Loop", writing, width(stage), warmup, WARMUP_THRESHOLD);
  }

  private static WarmupInput<LoopMethod> warmup(StageCode stage) {
    int iteration = Tiered.minElements(width(stage));
    int elements = WarmupInput.ITERATIONS * iteration;
    Object[] arrays = warmupArrays(stage, StridedVectors.PAIR_STRIDE * elements);
    long[] bases = new long[2 * stage.slots().size()];
    for (ArraySlot slot : stage.slots()) {
      boolean isBackwards = stage.nest().innerStride(slot.position()) < 0;
      bases[2 * stage.number(slot)] = isBackwards ? elements : 0;
    }
    return (body, iterations) ->
        body.run(arrays, bases, 1, Math.max(0, -iterations), Math.max(0, iterations) * iteration);
  }

  /** Returns the number of elements that the vector form of a stage computes per iteration. */
  static int width(StageCode stage) {
    return Machine.width(stage.widestLane());
  }

  private static Object[] warmupArrays(StageCode stage, int elements) {
    int count = stage.slots().stream().mapToInt(ArraySlot::array).max().orElse(0) + 1;
    Object[] arrays = new Object[count];
    for (ArraySlot slot : stage.slots()) {
      if (slot.array() != ArraySlot.NO_ARRAY) {
        arrays[slot.array()] = WarmupInput.array(slot.type(), elements);
      }
    }
    return arrays;
  }
}
