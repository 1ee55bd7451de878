package org.hlo4j.interpreter.reference;

import java.util.Arrays;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.engine.Limits;

/**
 * A window at all its positions over a base array, and the elements that overlap there. The window
 * may be laid over a second array, such as the kernel of a convolution.
 *
 * @param window the window
 * @param baseSizes the sizes of the base, one for each dimension of the window
 * @param baseStrides the strides of the base
 * @param windowStrides the strides of the array in the window; zeros if there is none
 */
record SlidingWindow(Window window, Dims baseSizes, Dims baseStrides, Dims windowStrides) {
  /** The action at each position. */
  interface Visitor {
    /** Receives the number of the position, and the overlap. */
    void visit(int place, Overlap overlap);
  }

  /**
   * The pairs of elements that overlap, in row-major order, without padding and without the holes
   * of dilation.
   */
  static final class Overlap {
    private final int[] base;
    private final int[] window;

    Overlap(int[] base, int[] window) {
      this.base = base;
      this.window = window;
    }

    /** Returns the positions in the base; not to be written to. */
    int[] base() {
      return base;
    }

    /**
     * Returns, for each position in the base, the position in the array in the window; not to be
     * written to.
     */
    int[] window() {
      return window;
    }

    /** Returns the pairs of each element of this overlap with each of another, positions added. */
    Overlap cartesianProduct(Overlap others) {
      return new Overlap(Offsets.sums(base, others.base), Offsets.sums(window, others.window));
    }
  }

  /** Returns a window that has no array of its own, for the elements of the base that it covers. */
  static SlidingWindow over(Window window, Dims baseSizes) {
    Dims nothing = Dims.filled(window.rank(), 0);
    return new SlidingWindow(window, baseSizes, baseSizes.rowMajorStrides(), nothing);
  }

  /** Visits all positions in row-major order. */
  void forEach(Visitor visitor) {
    Dims places = window.outputSizes(baseSizes);
    if (!places.contains(0)) {
      visit(places, 0, 0, new Overlap(new int[1], new int[1]), visitor);
    }
  }

  private void visit(Dims places, int dimension, int number, Overlap outer, Visitor visitor) {
    if (dimension == places.count()) {
      visitor.visit(number, outer);
      return;
    }
    int count = places.getInt(dimension);
    for (int place = 0; place < count; place++) {
      Overlap inner = outer.cartesianProduct(overlapAlong(dimension, place));
      visit(places, dimension + 1, number * count + place, inner, visitor);
    }
  }

  /**
   * Returns the overlap in one dimension: all solutions of {@code place * stride + k *
   * windowDilation = i * baseDilation + paddingLow}.
   */
  private Overlap overlapAlong(int dimension, long place) {
    long dilation = window.windowDilation().get(dimension);
    long holes = window.baseDilation().get(dimension);
    long size = window.sizes().get(dimension);
    long start = start(dimension, place);
    long first = first(dimension, place);
    long last = last(dimension, place);
    int[] base = new int[(int) Math.max(0, last - first + 1)];
    int[] windowPositions = new int[base.length];
    int found = 0;
    for (long i = first; i <= last; i++) {
      Limits.checkAt((int) (i - first));
      long offset = i * holes - start;
      if (offset % dilation == 0) {
        long k = offset / dilation;
        long position = window.reversal().get(dimension) ? size - 1 - k : k;
        base[found] = (int) (i * baseStrides.get(dimension));
        windowPositions[found++] = (int) (position * windowStrides.get(dimension));
      }
    }
    return new Overlap(Arrays.copyOf(base, found), Arrays.copyOf(windowPositions, found));
  }

  private long start(int dimension, long place) {
    return place * window.strides().get(dimension) - window.paddingLow().get(dimension);
  }

  /** Returns the first index in one dimension that the window may cover at a place. */
  long first(int dimension, long place) {
    return Math.max(0, Math.ceilDiv(start(dimension, place), window.baseDilation().get(dimension)));
  }

  /** Returns the last index in one dimension that the window may cover at a place, -1 if none. */
  long last(int dimension, long place) {
    long size = (window.sizes().get(dimension) - 1) * window.windowDilation().get(dimension);
    long end = Math.floorDiv(start(dimension, place) + size, window.baseDilation().get(dimension));
    return Math.min(baseSizes.get(dimension) - 1, end);
  }
}
