package org.hlo4j.check.compare;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ListMultimap;
import java.util.BitSet;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.reference.IndexVectors;

/**
 * Which elements the windows of a scatter update.
 *
 * @param updates the updates of each element
 * @param partlyOutside the elements inside, of windows that are not
 */
record ScatterTargets(ListMultimap<Integer, Integer> updates, BitSet partlyOutside) {
  static ScatterTargets of(OpenElements.Made made) {
    Scatter op = (Scatter) made.instruction().op();
    int inputs = made.operands().size() / 2;
    Dims sizes = made.operand(0).arrayShape().sizes();
    Dims updateSizes = made.operand(inputs + 1).arrayShape().sizes();
    Dims windowSizes = op.windowSizes(sizes.count(), updateSizes);
    Dims places = sizes.minus(windowSizes).plus(Dims.filled(sizes.count(), 1));
    Dims scatterDims = op.updateScatterDims(updateSizes.count());
    Dims windowDims = op.windowDims(sizes.count());
    IndexVectors starts = IndexVectors.of(op, made.operand(inputs), sizes.count());
    ScatterTargets targets = new ScatterTargets(ArrayListMultimap.create(), new BitSet());
    for (int i = 0; i < updateSizes.product(); i++) {
      Dims index = index(i, updateSizes);
      Dims start = starts.at(linear(index.at(scatterDims), updateSizes.at(scatterDims)));
      Dims at = start;
      for (int d = 0; d < windowDims.count(); d++) {
        int dimension = windowDims.getInt(d);
        at = at.with(dimension, at.get(dimension) + index.get(op.updateWindowDims().getInt(d)));
      }
      if (at.inBounds(sizes)) {
        targets.updates.put(linear(at, sizes), i);
        if (!start.inBounds(places)) {
          targets.partlyOutside.set(linear(at, sizes));
        }
      }
    }
    return targets;
  }

  private static int linear(Dims index, Dims sizes) {
    return (int) index.times(sizes.rowMajorStrides()).stream().sum();
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
