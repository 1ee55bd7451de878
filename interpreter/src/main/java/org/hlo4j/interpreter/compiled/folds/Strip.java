package org.hlo4j.interpreter.compiled.folds;

import com.google.common.collect.ImmutableList;

/** A generated loop, and where it finds its arrays. */
record Strip(Loop loop, ImmutableList<Place> places) {
  /** Runs from where the frame is, so many turns. */
  void run(Frame frame, int count) {
    Object[] arrays = new Object[places.size()];
    int[] positions = new int[arrays.length];
    for (int k = 0; k < arrays.length; k++) {
      Place place = places.get(k);
      arrays[k] = frame.arrays[place.slot()];
      positions[k] = place.at(frame);
    }
    loop.run(arrays, positions, 0, count);
  }
}
