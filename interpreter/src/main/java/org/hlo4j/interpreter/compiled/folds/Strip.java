package org.hlo4j.interpreter.compiled.folds;

import com.google.common.collect.ImmutableList;
import java.util.List;

/** A generated loop, and where it finds its arrays. */
final class Strip {
  private final Loop loop;
  private final Place[] places;

  Strip(Loop loop, List<Place> places) {
    this.loop = loop;
    this.places = places.toArray(Place[]::new);
  }

  Loop loop() {
    return loop;
  }

  ImmutableList<Place> places() {
    return ImmutableList.copyOf(places);
  }

  /** Runs from where the frame is, so many turns. */
  void run(Frame frame, int count) {
    Object[] arrays = new Object[places.length];
    int[] positions = new int[places.length];
    for (int k = 0; k < arrays.length; k++) {
      arrays[k] = frame.arrays[places[k].slot()];
      positions[k] = places[k].at(frame);
    }
    loop.run(arrays, positions, 0, count);
  }
}
