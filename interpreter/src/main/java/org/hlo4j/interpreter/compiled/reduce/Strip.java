package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A generated loop with the locations of its arrays. */
final class Strip {
  private static final @Nullable Object[] NO_COPIES = {};

  private final ReduceLoop loop;
  private final ArrayLocation[] locations;

  Strip(ReduceLoop loop, List<ArrayLocation> locations) {
    this.loop = loop;
    this.locations = locations.toArray(ArrayLocation[]::new);
  }

  ReduceLoop loop() {
    return loop;
  }

  ImmutableList<ArrayLocation> locations() {
    return ImmutableList.copyOf(locations);
  }

  /** Runs a number of iterations, beginning at the current position of the frame. */
  void run(ChunkFrame frame, int count) {
    run(frame, count, NO_COPIES);
  }

  /**
   * Runs a number of iterations with other arrays in some locations.
   *
   * @param copies arrays to be read from their beginning, or null for those of the frame
   */
  void run(ChunkFrame frame, int count, @Nullable Object[] copies) {
    Object[] arrays = new Object[locations.length];
    int[] positions = new int[locations.length];
    for (int k = 0; k < arrays.length; k++) {
      Object copy = k < copies.length ? copies[k] : null;
      arrays[k] = copy == null ? frame.arrays[locations[k].slot()] : copy;
      positions[k] = copy == null ? locations[k].at(frame) : 0;
    }
    loop.run(arrays, positions, 0, count);
  }
}
