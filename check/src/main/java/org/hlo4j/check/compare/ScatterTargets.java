package org.hlo4j.check.compare;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ListMultimap;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Scatter;

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
    Dims scatterDims = op.updateScatterDims(updateSizes.count());
    Dims windowDims = op.windowDims(sizes.count());
    Dims strides = sizes.rowMajorStrides();
    for (int i = 0; i < updateSizes.product(); i++) {
      Dims index = index(i, updateSizes);
      Dims start = start(index.at(scatterDims));
      Dims at = start;
      for (int d = 0; d < windowDims.count(); d++) {
        int dimension = windowDims.getInt(d);
        at = at.with(dimension, at.get(dimension) + index.get(op.updateWindowDims().getInt(d)));
      }
      if (at.inBounds(sizes)) {
        update.of(start, (int) at.times(strides).stream().sum(), i);
      }
    }
  }

  private Dims start(Dims place) {
    int rank = indices.arrayShape().rank();
    Dims start = Dims.filled(sizes.count(), 0);
    for (int i = 0; i < op.inputBatchingDims().count(); i++) {
      int dimension = op.scatterIndicesBatchingDims().getInt(i);
      start =
          start.with(
              op.inputBatchingDims().getInt(i),
              place.get(dimension < op.indexVectorDim() ? dimension : dimension - 1));
    }
    for (int k = 0; k < op.scatterDimsToOperandDims().count(); k++) {
      Dims vector = op.indexVectorDim() == rank ? place : place.inserted(op.indexVectorDim(), k);
      long index = indices.getLong(vector.toArray());
      boolean isBeyond = index < 0 && indices.elementType().minLong() == 0;
      start =
          start.with(
              op.scatterDimsToOperandDims().getInt(k),
              isBeyond
                  ? Integer.MAX_VALUE
                  : Math.clamp(index, Integer.MIN_VALUE, Integer.MAX_VALUE));
    }
    return start;
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

  /**
   * Returns whether the index vectors of each batch are in lexicographic order of the dimensions
   * they index.
   */
  static boolean areSorted(Literal indices, int vectorDim, Dims map, Dims batchingDims) {
    Dims sizes = indices.arrayShape().sizes();
    Dims placeDims = Dims.range(0, sizes.count()).without(Dims.of(vectorDim));
    Dims places = sizes.at(placeDims);
    int[] order = map.stream().sorted().mapToInt(dimension -> map.indexOf(dimension)).toArray();
    long[] last = {};
    for (int i = 0; i < places.product(); i++) {
      Dims place = index(i, places);
      LongStream batch =
          batchingDims.stream().map(dimension -> place.get(placeDims.indexOf(dimension)));
      LongStream vector =
          Arrays.stream(order)
              .mapToLong(k ->
                  indices.getLong(
                      (vectorDim == sizes.count() ? place : place.inserted(vectorDim, k))
                          .toArray()));
      long[] next = LongStream.concat(batch, vector).toArray();
      if (Arrays.compare(last, next) > 0) {
        return false;
      }
      last = next;
    }
    return true;
  }
}
