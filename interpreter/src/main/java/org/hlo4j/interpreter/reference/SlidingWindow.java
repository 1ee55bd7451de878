package org.hlo4j.interpreter.reference;

import java.util.Arrays;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.Window;

/**
 * A window in all its places on a base, and what lies over each other there.
 *
 * @param window the window
 * @param baseSizes the sizes of the base, one for each dimension of the window
 * @param baseStrides how far apart neighbours of the base lie in memory
 * @param windowStrides how far apart neighbours of what is laid on lie in memory
 */
record SlidingWindow(Window window, Dims baseSizes, Dims baseStrides, Dims windowStrides) {
  /** What is done in each place. */
  interface Visitor {
    /** Given the number of the place, and the overlap. */
    void visit(int place, Overlap overlap);
  }

  /** The elements that lie over each other, in row-major order; padding and holes left out. */
  static final class Overlap {
    private final int[] base;
    private final int[] window;

    Overlap(int[] base, int[] window) {
      this.base = base;
      this.window = window;
    }

    /** Positions in the base; not to be written to. */
    int[] base() {
      return base;
    }

    /** For each of them the position in what is laid on; not to be written to. */
    int[] window() {
      return window;
    }

    /** Each pair of one of these and one of the others, positions added. */
    Overlap times(Overlap others) {
      return new Overlap(Offsets.sums(base, others.base), Offsets.sums(window, others.window));
    }
  }

  /** A window that only says which elements it covers. */
  static SlidingWindow over(Window window, Dims baseSizes) {
    Dims nothing = Dims.filled(window.rank(), 0);
    return new SlidingWindow(window, baseSizes, Offsets.strides(baseSizes), nothing);
  }

  /** Visits all places in row-major order. */
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
      Overlap inner = outer.times(along(dimension, place));
      visit(places, dimension + 1, number * count + place, inner, visitor);
    }
  }

  /** {@code place * stride + k * windowDilation = i * baseDilation + paddingLow} */
  private Overlap along(int dimension, long place) {
    long dilation = window.windowDilation().get(dimension);
    long holes = window.baseDilation().get(dimension);
    long size = window.sizes().get(dimension);
    long start = place * window.strides().get(dimension) - window.paddingLow().get(dimension);
    long first = Math.max(0, Math.ceilDiv(start, holes));
    long end = Math.floorDiv(start + (size - 1) * dilation, holes);
    long last = Math.min(baseSizes.get(dimension) - 1, end);
    int[] base = new int[(int) Math.max(0, last - first + 1)];
    int[] laidOn = new int[base.length];
    int found = 0;
    for (long i = first; i <= last; i++) {
      long offset = i * holes - start;
      if (offset % dilation == 0) {
        long k = offset / dilation;
        long position = window.reversal().get(dimension) ? size - 1 - k : k;
        base[found] = (int) (i * baseStrides.get(dimension));
        laidOn[found++] = (int) (position * windowStrides.get(dimension));
      }
    }
    return new Overlap(Arrays.copyOf(base, found), Arrays.copyOf(laidOn, found));
  }
}
