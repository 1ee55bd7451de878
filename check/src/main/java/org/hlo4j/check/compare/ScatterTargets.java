package org.hlo4j.check.compare;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ListMultimap;
import java.util.BitSet;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.reference.IndexVectors;
import org.hlo4j.interpreter.reference.Offsets;

/**
 * Which elements the windows of a scatter update.
 *
 * @param updates the updates of each element
 * @param partlyOutside the elements inside, of windows that are not
 */
record ScatterTargets(ListMultimap<Integer, Integer> updates, BitSet partlyOutside) {
  static ScatterTargets of(OpenElements made) {
    Scatter op = (Scatter) made.instruction().op();
    int inputs = made.operands().size() / 2;
    Dims sizes = made.operand(0).arrayShape().sizes();
    Dims updateSizes = made.operand(inputs + 1).arrayShape().sizes();
    Dims windowSizes = op.windowSizes(sizes.count(), updateSizes);
    Dims places = sizes.minus(windowSizes).plus(Dims.filled(sizes.count(), 1));
    IndexVectors starts = IndexVectors.of(op, made.operand(inputs), sizes.count());
    int[] scatters = Offsets.ofDimensions(op.updateScatterDims(updateSizes.count()), updateSizes);
    int[] windows = Offsets.ofDimensions(op.updateWindowDims(), updateSizes);
    ScatterTargets targets = new ScatterTargets(ArrayListMultimap.create(), new BitSet());
    for (int s = 0; s < scatters.length; s++) {
      for (int w = 0; w < windows.length; w++) {
        Dims at = starts.at(s).plus(index(w, windowSizes));
        if (at.inBounds(sizes)) {
          int target = (int) at.times(sizes.rowMajorStrides()).stream().sum();
          targets.updates.put(target, scatters[s] + windows[w]);
          if (!starts.at(s).inBounds(places)) {
            targets.partlyOutside.set(target);
          }
        }
      }
    }
    return targets;
  }

  /** Returns the index of an element in each dimension. */
  static Dims index(int linear, Dims sizes) {
    Dims strides = sizes.rowMajorStrides();
    return Dims.of(
        LongStream.range(0, sizes.count())
            .map(d -> linear / strides.get((int) d) % sizes.get((int) d))
            .toArray());
  }
}
