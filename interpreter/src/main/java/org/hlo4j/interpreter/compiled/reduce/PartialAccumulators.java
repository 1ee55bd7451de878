package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;

/**
 * Rows of accumulators for a part of the reduced elements, initialized with the neutral element of
 * the reduction.
 */
final class PartialAccumulators {
  private PartialAccumulators() {}

  /**
   * Initializes the accumulators {@code from} (inclusive) to {@code to} (exclusive) of a frame. A
   * reduction that is not a sum accumulates in its result, so the frame gets an array of its own in
   * place of the result.
   */
  static void start(ChunkFrame frame, ReduceStep step, int from, int to) {
    SingleOpReducer single = SingleOpReducer.of(step.reduction().body());
    int slot = step.isSum() ? step.accumulators() : step.results().get(0).slot();
    if (!step.isSum()) {
      frame.resultIndex = 0;
      frame.arrays[slot] = Storages.allocate(single.type(), to);
    }
    ElementType type = step.isSum() ? ElementType.F64 : single.type();
    Storages.fill(frame.arrays[slot], from, to, type, single.neutralNumber());
  }

  /**
   * Adds the sums {@code count} (inclusive) to {@code end} (exclusive) to the first {@code count}
   * sums, modulo {@code count}.
   */
  static void addSums(ChunkFrame frame, ReduceStep step, int count, int end) {
    double[] sums = (double[]) frame.arrays[step.accumulators()];
    for (int i = count; i < end; i++) {
      sums[i % count] += sums[i];
    }
  }

  /** Combines the accumulators of a part with those of a frame. */
  static void reduce(ChunkFrame frame, ChunkFrame part, ReduceStep step, int count) {
    if (step.isSum()) {
      double[] sums = (double[]) frame.arrays[step.accumulators()];
      double[] parts = (double[]) part.arrays[step.accumulators()];
      for (int i = 0; i < count; i++) {
        sums[i] += parts[i];
      }
      return;
    }
    ArrayLocation location = step.results().get(0);
    Object[] arrays = {part.arrays[location.slot()], frame.arrays[location.slot()]};
    step.remainderLoop().run(arrays, new int[] {0, location.at(frame)}, 0, count);
  }
}
