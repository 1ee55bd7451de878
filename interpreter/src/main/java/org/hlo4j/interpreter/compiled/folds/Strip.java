package org.hlo4j.interpreter.compiled.folds;

import com.google.common.collect.ImmutableList;
import org.jspecify.annotations.Nullable;

/** A generated loop, and where it finds its arrays. */
record Strip(Loop loop, ImmutableList<Place> places) {
  private static final @Nullable Object[] NO_COPIES = {};

  /** Runs from where the frame is, so many turns. */
  void run(Frame frame, int count) {
    run(frame, count, NO_COPIES);
  }

  /**
   * The same, with other arrays in some places.
   *
   * @param copies arrays to be read from their beginning, or null for those of the frame
   */
  void run(Frame frame, int count, @Nullable Object[] copies) {
    Object[] arrays = new Object[places.size()];
    int[] positions = new int[arrays.length];
    for (int k = 0; k < arrays.length; k++) {
      Place place = places.get(k);
      Object copy = k < copies.length ? copies[k] : null;
      arrays[k] = copy == null ? frame.arrays[place.slot()] : copy;
      positions[k] = copy == null ? place.at(frame) : 0;
    }
    loop.run(arrays, positions, 0, count);
  }
}
