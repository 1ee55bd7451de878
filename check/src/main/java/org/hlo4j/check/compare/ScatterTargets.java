package org.hlo4j.check.compare;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ListMultimap;
import java.util.BitSet;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.reference.IndexVectors;

/** Which elements the windows of a scatter update, element by element. */
final class ScatterTargets {
  private final Scatter op;
  private final Literal indices;
  private final Dims sizes;
  private final Dims updateSizes;
  private final Dims windowSizes;

  ScatterTargets(Scatter op, List<Literal> operands) {
    int inputs = operands.size() / 2;
    this.op = op;
    this.indices = operands.get(inputs);
    this.sizes = operands.get(0).arrayShape().sizes();
    this.updateSizes = operands.get(inputs + 1).arrayShape().sizes();
    this.windowSizes = op.windowSizes(sizes.count(), updateSizes);
  }

  /** Returns the elements inside, of windows that are not. */
  BitSet partlyOutside() {
    BitSet found = new BitSet();
    Dims places = sizes.minus(windowSizes).plus(Dims.filled(sizes.count(), 1));
    forEachUpdate((start, target, update) -> {
      if (!start.inBounds(places)) {
        found.set(target);
      }
    });
    return found;
  }

  BitSet updatedTwice() {
    BitSet twice = new BitSet();
    updates().asMap().forEach((target, of) -> twice.set(target, of.size() > 1));
    return twice;
  }

  /** Returns the updates of each element that has any. */
  ListMultimap<Integer, Integer> updates() {
    ListMultimap<Integer, Integer> updates = ArrayListMultimap.create();
    forEachUpdate((start, target, update) -> updates.put(target, update));
    return updates;
  }

  private interface Update {
    void of(Dims start, int target, int update);
  }

  private void forEachUpdate(Update update) {
    IndexVectors starts = IndexVectors.of(op, indices, sizes.count());
    Dims scatterDims = op.updateScatterDims(updateSizes.count());
    Dims windowDims = op.windowDims(sizes.count());
    for (int i = 0; i < updateSizes.product(); i++) {
      Dims index = index(i, updateSizes);
      Dims start = starts.at(linear(index.at(scatterDims), updateSizes.at(scatterDims)));
      Dims at = start;
      for (int d = 0; d < windowDims.count(); d++) {
        int dimension = windowDims.getInt(d);
        at = at.with(dimension, at.get(dimension) + index.get(op.updateWindowDims().getInt(d)));
      }
      if (at.inBounds(sizes)) {
        update.of(start, linear(at, sizes), i);
      }
    }
  }

  private static int linear(Dims index, Dims sizes) {
    return (int) index.times(sizes.rowMajorStrides()).stream().sum();
  }

  private static Dims index(long linear, Dims sizes) {
    Dims index = Dims.filled(sizes.count(), 0);
    long rest = linear;
    for (int d = sizes.count() - 1; d >= 0; d--) {
      index = index.with(d, rest % sizes.get(d));
      rest /= sizes.get(d);
    }
    return index;
  }
}
