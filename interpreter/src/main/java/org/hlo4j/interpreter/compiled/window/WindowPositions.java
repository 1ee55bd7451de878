package org.hlo4j.interpreter.compiled.window;

import java.util.Arrays;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.compiled.copy.Strides;

/**
 * The elements of a base array under a window, for all positions of the window in a row at once.
 * Element k of the window at a position covers element i of the base if {@code position * stride +
 * k * windowDilation = i * baseDilation + paddingLow} in each dimension. Rows run along the last
 * dimension. A line is a part of the base along the last dimension.
 */
public final class WindowPositions {
  private static final int MAX_KNOWN = 1 << 16;

  private final int rank;
  private final long[] window;
  private final long[] stride;
  private final long[] dilation;
  private final long[] holes;
  private final long[] low;
  private final int[] base;
  private final int[] places;
  private final int[] baseStrides;
  private final int outerWindow;

  /** The number of rows for one step in each dimension. */
  private final int[] rowStrides;

  /**
   * For each dimension and each position in it, the offsets of the elements under the window; empty
   * for dimensions with too many.
   */
  private final int[][][] known;

  /**
   * For each row of a part, the lines under the window, relative to the part; empty if there are
   * too many. A part has one index in each leading dimension that the window does not span.
   */
  private final int[][] linesOfPart;

  private final int partLength;

  /** The span of each element of the window in the last dimension. */
  private final Span[] spans;

  /**
   * The window positions of a row at which one element of the window covers an element of the base.
   *
   * @param first the first of these positions
   * @param step their stride
   * @param count the number of positions
   * @param from the index, within a line of the base, that is covered at the first position
   * @param fromStep the stride of the covered elements
   */
  record Span(int first, int step, int count, int from, int fromStep) {}

  /**
   * Creates the positions of a window on an array; a scalar is treated as a line of one element.
   */
  WindowPositions(Window window, Shape.Array array) {
    this.rank = Math.max(1, window.rank());
    this.window = filled(window.sizes().toArray(), 1);
    this.stride = filled(window.strides().toArray(), 1);
    this.dilation = filled(window.windowDilation().toArray(), 1);
    this.holes = filled(window.baseDilation().toArray(), 1);
    this.low = filled(window.paddingLow().toArray(), 0);
    this.base = array.rank() == 0 ? new int[] {1} : Strides.ints(array.sizes());
    this.places =
        array.rank() == 0 ? new int[] {1} : Strides.ints(window.outputSizes(array.sizes()));
    this.baseStrides = array.rank() == 0 ? new int[] {1} : Strides.of(array);
    long outer = 1;
    for (int d = 0; d < rank - 1; d++) {
      outer *= this.window[d];
    }
    this.outerWindow = (int) outer;
    this.rowStrides = new int[rank];
    this.known = new int[rank - 1][][];
    int rows = 1;
    for (int d = rank - 2; d >= 0; d--) {
      rowStrides[d] = rows;
      rows *= places[d];
      known[d] = allOffsets(d);
    }
    int parts = independentRows();
    this.partLength = parts == 0 ? 0 : Math.toIntExact((long) base() / parts);
    this.linesOfPart = linesOfPart(rows / Math.max(1, parts));
    this.spans = new Span[(int) this.window[rank - 1]];
    for (int k = 0; k < spans.length; k++) {
      spans[k] = span(k);
    }
  }

  private static long[] filled(long[] values, long otherwise) {
    return values.length == 0 ? new long[] {otherwise} : values;
  }

  /** {@return whether the elements of a window are few enough to be listed} */
  public static boolean isListable(Window window) {
    double elements = 1;
    for (int d = 0; d < window.rank(); d++) {
      elements *= window.sizes().get(d);
    }
    return elements <= 1 << 22;
  }

  private Span span(int k) {
    int d = rank - 1;
    long common = gcd(stride[d], holes[d]);
    long step = holes[d] / common;
    long start = k * dilation[d] - low[d];
    long first = Math.max(0, Math.ceilDiv(-start, stride[d]));
    for (long tried = 1; tried < step && (first * stride[d] + start) % holes[d] != 0; tried++) {
      first++;
    }
    int position = first < places[d] ? at(d, first, k) : -1;
    if (position < 0) {
      return new Span(0, 1, 0, 0, 0);
    }
    long fromStep = stride[d] / common;
    long inBase = (base[d] - 1 - position) / fromStep + 1;
    long inRow = (places[d] - 1 - first) / step + 1;
    return new Span(
        (int) first, (int) step, (int) Math.min(inBase, inRow), position, (int) fromStep);
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /**
   * {@return the index in the base under element k of the window in one dimension; -1 if there is
   * none}
   */
  private int at(int d, long place, long k) {
    long position = place * stride[d] + k * dilation[d] - low[d];
    if (position < 0 || position % holes[d] != 0 || position / holes[d] >= base[d]) {
      return -1;
    }
    return (int) (position / holes[d]);
  }

  /** {@return the number of elements in the base} */
  private int base() {
    return Arrays.stream(base).reduce(1, (a, b) -> a * b);
  }

  /** {@return the number of rows of window positions} */
  int rows() {
    int rows = 1;
    for (int d = 0; d < rank - 1; d++) {
      rows *= places[d];
    }
    return rows;
  }

  /** {@return the number of window positions in a row} */
  int rowLength() {
    return places[rank - 1];
  }

  Span[] spans() {
    return spans;
  }

  /** {@return an array for the lines under one row} */
  int[] newLines() {
    return new int[outerWindow];
  }

  /** {@return the number of elements in a window} */
  long windowCount() {
    return (long) outerWindow * spans.length;
  }

  /**
   * Writes the indices in the base at which the lines under the windows of a row begin, in order.
   *
   * @return the number of lines
   */
  int lines(int row, int[] lines) {
    if (linesOfPart.length == 0) {
      return linesAnew(row, lines);
    }
    int[] known = linesOfPart[row % linesOfPart.length];
    int start = row / linesOfPart.length * partLength;
    for (int i = 0; i < known.length; i++) {
      lines[i] = start + known[i];
    }
    return known.length;
  }

  private int[][] linesOfPart(int rows) {
    if ((long) rows * outerWindow > MAX_KNOWN) {
      return new int[0][];
    }
    int[][] lines = new int[rows][];
    int[] room = newLines();
    for (int row = 0; row < rows; row++) {
      lines[row] = Arrays.copyOf(room, linesAnew(row, room));
    }
    return lines;
  }

  private int linesAnew(int row, int[] lines) {
    lines[0] = 0;
    int count = 1;
    int within = row;
    for (int d = 0; d < rank - 1; d++) {
      int index = within / rowStrides[d];
      within -= index * rowStrides[d];
      count = times(under(d, index), lines, count);
    }
    return count;
  }

  /**
   * Combines each line found so far with each element of one more dimension, in place, from the
   * last line to the first.
   */
  private static int times(int[] offsets, int[] lines, int count) {
    int found = offsets.length;
    for (int i = count - 1; i >= 0; i--) {
      int line = lines[i];
      for (int k = found - 1; k >= 0; k--) {
        lines[i * found + k] = line + offsets[k];
      }
    }
    return count * found;
  }

  /** {@return the offsets of the elements under a window position in one dimension} */
  private int[] under(int d, int place) {
    return known[d].length > 0 ? known[d][place] : offsets(d, place);
  }

  private int[] offsets(int d, int place) {
    int[] offsets = new int[(int) window[d]];
    int found = 0;
    for (int k = 0; k < offsets.length; k++) {
      int at = at(d, place, k);
      if (at >= 0) {
        offsets[found++] = at * baseStrides[d];
      }
    }
    return Arrays.copyOf(offsets, found);
  }

  private int[][] allOffsets(int d) {
    if (window[d] * places[d] > MAX_KNOWN) {
      return new int[0][];
    }
    int[][] all = new int[places[d]][];
    for (int place = 0; place < all.length; place++) {
      all[place] = offsets(d, place);
    }
    return all;
  }

  /** {@return the product of the sizes of the leading dimensions that the window does not span} */
  int independentRows() {
    int parts = 1;
    for (int d = 0; d < rank - 1; d++) {
      boolean alone =
          window[d] == 1 && stride[d] == 1 && holes[d] == 1 && low[d] == 0 && places[d] == base[d];
      if (!alone) {
        break;
      }
      parts *= places[d];
    }
    return parts;
  }
}
