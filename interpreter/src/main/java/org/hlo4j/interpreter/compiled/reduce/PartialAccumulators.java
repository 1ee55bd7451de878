package org.hlo4j.interpreter.compiled.reduce;

import java.util.Arrays;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;

/** Rows of accumulators of a part of what is reduced, begun with what changes nothing. */
final class PartialAccumulators {
  private PartialAccumulators() {}

  /** Gives a frame accumulators of its own where others have results, and begins. */
  static void start(ChunkFrame frame, ReduceStep step, int count) {
    SingleOpReducer single = SingleOpReducer.of(step.reduction().body());
    frame.kept = 0;
    if (step.isSum()) {
      Storages.fill(
          frame.arrays[step.accumulators()], 0, count, ElementType.F64, single.neutralNumber());
      return;
    }
    Object own = Storages.allocate(single.type(), count);
    frame.arrays[step.results().get(0).slot()] = own;
    Storages.fill(own, 0, count, single.type(), single.neutralNumber());
  }

  /** Begins sums with what changes nothing, from one to before another. */
  static void startSums(ChunkFrame frame, ReduceStep step, int from, int to) {
    Arrays.fill((double[]) frame.arrays[step.accumulators()], from, to, -0.0);
  }

  /** Adds sums that lie behind others, so many, to these. */
  static void addSums(ChunkFrame frame, ReduceStep step, int count, int end) {
    double[] sums = (double[]) frame.arrays[step.accumulators()];
    for (int i = count; i < end; i++) {
      sums[i % count] += sums[i];
    }
  }

  /** Reduces the accumulators of a part into those of a frame. */
  static void reduce(ChunkFrame frame, ChunkFrame part, ReduceStep step, int count) {
    if (step.isSum()) {
      double[] sums = (double[]) frame.arrays[step.accumulators()];
      double[] parts = (double[]) part.arrays[step.accumulators()];
      for (int i = 0; i < count; i++) {
        sums[i] += parts[i];
      }
      return;
    }
    ArrayLocation place = step.results().get(0);
    Object[] arrays = {part.arrays[place.slot()], frame.arrays[place.slot()]};
    step.single().run(arrays, new int[] {0, place.at(frame)}, 0, count);
  }
}
