package org.hlo4j.interpreter.reference;

import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.Window;

/**
 * A reduce-window along one dimension, as of a cumulative sum. Windows that begin at the same
 * element go on from one another, which gives the same numbers in fewer steps. Windows that end at
 * the same element do so backward, where the order of elements does not matter.
 */
final class RunningReduction {
  private final SlidingWindow window;
  private final int dimension;
  private final long places;
  private final int inner;
  private final WindowReduction reduction;

  private RunningReduction(SlidingWindow window, int dimension, WindowReduction reduction) {
    Dims sizes = window.baseSizes();
    this.window = window;
    this.dimension = dimension;
    this.places = window.window().outputSizes(sizes).get(dimension);
    this.inner = (int) sizes.rowMajorStrides().get(dimension);
    this.reduction = reduction;
  }

  /** Reduces under a window if it moves along one dimension only; returns whether it does. */
  static boolean tryReduce(SlidingWindow window, boolean isInAnyOrder, WindowReduction reduction) {
    int[] moving =
        IntStream.range(0, window.window().rank())
            .filter(dimension -> !isIdentity(window.window(), dimension))
            .toArray();
    if (moving.length != 1 || window.window().windowDilation().get(moving[0]) != 1) {
      return false;
    }
    RunningReduction running = new RunningReduction(window, moving[0], reduction);
    long size = window.baseSizes().get(moving[0]);
    Dims others = window.baseSizes().with(moving[0], 1);
    long rows = others.contains(0) ? 0 : others.product();
    for (int row = 0; size > 0 && row < rows; row++) {
      running.reduce(row / running.inner, row % running.inner, isInAnyOrder);
    }
    return size > 0;
  }

  private static boolean isIdentity(Window window, int dimension) {
    return window.sizes().get(dimension) == 1
        && window.strides().get(dimension) == 1
        && window.baseDilation().get(dimension) == 1
        && window.paddingLow().get(dimension) == 0
        && window.paddingHigh().get(dimension) == 0;
  }

  private void reduce(int outer, int offset, boolean isInAnyOrder) {
    int baseRow = outer * inner * (int) window.baseSizes().get(dimension) + offset;
    int resultRow = outer * inner * (int) places + offset;
    for (long from = 0; from < places; ) {
      long end = endOfSameFirst(from);
      if (end == from + 1 && isInAnyOrder) {
        end = endOfSameLast(from);
        backward(from, end, baseRow, resultRow);
      } else {
        forward(from, end, baseRow, resultRow);
      }
      from = end;
    }
  }

  private long endOfSameFirst(long from) {
    long end = from + 1;
    while (end < places && window.first(dimension, end) == window.first(dimension, from)) {
      end++;
    }
    return end;
  }

  private long endOfSameLast(long from) {
    long end = from + 1;
    while (end < places && window.last(dimension, end) == window.last(dimension, from)) {
      end++;
    }
    return end;
  }

  private void forward(long from, long end, int baseRow, int resultRow) {
    reduction.begin();
    long next = window.first(dimension, from);
    for (long place = from; place < end; place++) {
      for (; next <= window.last(dimension, place); next++) {
        reduction.take(baseRow + (int) next * inner);
      }
      reduction.store(resultRow + (int) place * inner);
    }
  }

  private void backward(long from, long end, int baseRow, int resultRow) {
    reduction.begin();
    long next = window.last(dimension, from);
    for (long place = end - 1; place >= from; place--) {
      for (; next >= window.first(dimension, place); next--) {
        reduction.take(baseRow + (int) next * inner);
      }
      reduction.store(resultRow + (int) place * inner);
    }
  }
}
