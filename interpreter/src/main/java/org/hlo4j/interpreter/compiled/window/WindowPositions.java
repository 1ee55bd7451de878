package org.hlo4j.interpreter.compiled.window;

import com.google.common.math.LongMath;
import java.math.BigInteger;
import java.util.Arrays;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * The elements of a base array under a window, for all positions of the window in a row at once.
 * Element k of the window at a position covers element i of the base if {@code position * stride +
 * k * windowDilation = i * baseDilation + paddingLow} in each dimension. Rows run along the last
 * dimension. A line is a part of the base along the last dimension.
 */
public final class WindowPositions {
  private static final int MAX_TABLE_SIZE = 1 << 16;
  private static final long BYTES_OF_SPAN = 40;

  private final int rank;
  private final long[] window;
  private final long[] stride;
  private final long[] windowDilation;
  private final long[] baseDilation;
  private final long[] paddingLow;
  private final int[] baseSizes;
  private final int[] outputSizes;
  private final int[] baseStrides;
  private final int outerWindow;
  private final int rows;

  /** The number of rows for one step in each dimension. */
  private final int[] rowStrides;

  /**
   * For each dimension and each position in it, the offsets of the elements under the window; empty
   * for dimensions with too many.
   */
  private final int[][][] offsetTables;

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

  private static final Span NO_SPAN = new Span(0, 1, 0, 0, 0);

  /**
   * Creates the positions of a window on an array; a scalar is treated as a line of one element.
   */
  WindowPositions(Window window, Shape.Array array) {
    this.rank = Math.max(1, window.rank());
    this.window = orDefault(window.sizes().toArray(), 1);
    this.stride = orDefault(window.strides().toArray(), 1);
    this.windowDilation = orDefault(window.windowDilation().toArray(), 1);
    this.baseDilation = orDefault(window.baseDilation().toArray(), 1);
    this.paddingLow = orDefault(window.paddingLow().toArray(), 0);
    this.baseSizes = ints(array.sizes());
    this.outputSizes = ints(window.outputSizes(array.sizes()));
    this.baseStrides = ints(array.sizes().rowMajorStrides());
    long outer = 1;
    for (int d = 0; d < rank - 1; d++) {
      outer *= this.window[d];
    }
    this.outerWindow = (int) outer;
    this.rowStrides = new int[rank];
    this.offsetTables = new int[rank - 1][][];
    int rows = 1;
    for (int d = rank - 2; d >= 0; d--) {
      rowStrides[d] = rows;
      rows *= outputSizes[d];
      offsetTables[d] = allOffsets(d);
    }
    this.rows = rows;
    int parts = independentPartCount();
    this.partLength = parts == 0 ? 0 : Math.toIntExact(array.elementCount() / parts);
    this.linesOfPart = linesOfPart(rows / Math.max(1, parts));
    Limits.requireMemory(BYTES_OF_SPAN * this.window[rank - 1], "positions under a window");
    this.spans = new Span[(int) this.window[rank - 1]];
    new Pieces(0, spans.length).forEach(k -> spans[k] = span(k));
  }

  private static int[] ints(Dims values) {
    return values.isEmpty()
        ? new int[] {1}
        : values.stream().mapToInt(value -> (int) value).toArray();
  }

  private static long[] orDefault(long[] values, long otherwise) {
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

  /**
   * Returns the span of element k of the window. Its positions solve {@code position * stride +
   * start = i * baseDilation}, so that they are congruent modulo {@code baseDilation / common}.
   */
  private Span span(int k) {
    int d = rank - 1;
    long common = LongMath.gcd(stride[d], baseDilation[d]);
    long step = baseDilation[d] / common;
    long start = k * windowDilation[d] - paddingLow[d];
    long least = Math.max(0, Math.ceilDiv(-start, stride[d]));
    if (start % common != 0 || least >= outputSizes[d]) {
      return NO_SPAN;
    }
    long congruent = step == 1 ? 0 : quotient(-start / common, stride[d] / common, step);
    long toFirst = Math.floorMod(congruent - least % step, step);
    if (toFirst >= outputSizes[d] - least) {
      return NO_SPAN;
    }
    long first = least + toFirst;
    int index = coveredIndex(d, first, k);
    if (index < 0) {
      return NO_SPAN;
    }
    long fromStep = stride[d] / common;
    long inBase = (baseSizes[d] - 1 - index) / fromStep + 1;
    long inRow = (outputSizes[d] - 1 - first) / step + 1;
    int count = (int) Math.min(inBase, inRow);
    return count == 1
        ? new Span((int) first, 1, 1, index, 1)
        : new Span((int) first, (int) step, count, index, (int) fromStep);
  }

  /** Returns the number whose product with the divisor is congruent to the dividend. */
  private static long quotient(long dividend, long divisor, long modulus) {
    BigInteger of = BigInteger.valueOf(modulus);
    BigInteger inverse = BigInteger.valueOf(divisor).modInverse(of);
    return BigInteger.valueOf(dividend).multiply(inverse).mod(of).longValueExact();
  }

  /**
   * {@return the index in the base under element k of the window in one dimension; -1 if there is
   * none}
   */
  private int coveredIndex(int d, long windowIndex, long k) {
    long position = windowIndex * stride[d] + k * windowDilation[d] - paddingLow[d];
    if (position < 0
        || position % baseDilation[d] != 0
        || position / baseDilation[d] >= baseSizes[d]) {
      return -1;
    }
    return (int) (position / baseDilation[d]);
  }

  /** {@return the number of rows of window positions} */
  int rows() {
    return rows;
  }

  /** {@return the number of window positions in a row} */
  int rowLength() {
    return outputSizes[rank - 1];
  }

  Span[] spans() {
    return spans;
  }

  /** {@return an array for the lines under one row} */
  int[] newLines() {
    return new int[outerWindow];
  }

  /** {@return about how many bytes the spans and the lines under a row take} */
  long bytes() {
    return BYTES_OF_SPAN * spans.length + (long) Integer.BYTES * outerWindow;
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
      return computeLines(row, lines);
    }
    int[] known = linesOfPart[row % linesOfPart.length];
    int start = row / linesOfPart.length * partLength;
    for (int i = 0; i < known.length; i++) {
      lines[i] = start + known[i];
    }
    return known.length;
  }

  /** Work on the window positions of a span, whose elements begin at an index of the base. */
  interface SpanWork {
    void run(Span span, int from);
  }

  /** Does some work for each element of the windows of a row, in order. */
  void forEach(int row, Pieces pieces, SpanWork work) {
    int[] lines = newLines();
    int count = lines(row, lines);
    for (int i = 0; i < count; i++) {
      for (Span span : spans) {
        pieces.next(span.count());
        work.run(span, lines[i] + span.from());
      }
    }
  }

  private int[][] linesOfPart(int rows) {
    if ((long) rows * outerWindow > MAX_TABLE_SIZE) {
      return new int[0][];
    }
    int[][] lines = new int[rows][];
    int[] buffer = newLines();
    for (int row = 0; row < rows; row++) {
      lines[row] = Arrays.copyOf(buffer, computeLines(row, buffer));
    }
    return lines;
  }

  private int computeLines(int row, int[] lines) {
    lines[0] = 0;
    int count = 1;
    int within = row;
    for (int d = 0; d < rank - 1; d++) {
      int index = within / rowStrides[d];
      within -= index * rowStrides[d];
      count = combineOffsets(coveredOffsets(d, index), lines, count);
    }
    return count;
  }

  /**
   * Combines each line found so far with each element of one more dimension, in place, from the
   * last line to the first.
   */
  private static int combineOffsets(int[] offsets, int[] lines, int count) {
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
  private int[] coveredOffsets(int d, int windowIndex) {
    return offsetTables[d].length > 0 ? offsetTables[d][windowIndex] : offsets(d, windowIndex);
  }

  private int[] offsets(int d, int windowIndex) {
    int[] offsets = new int[(int) window[d]];
    int found = 0;
    for (int k = 0; k < offsets.length; k++) {
      int at = coveredIndex(d, windowIndex, k);
      if (at >= 0) {
        offsets[found++] = at * baseStrides[d];
      }
    }
    return Arrays.copyOf(offsets, found);
  }

  private int[][] allOffsets(int d) {
    if (window[d] * outputSizes[d] > MAX_TABLE_SIZE) {
      return new int[0][];
    }
    int[][] all = new int[outputSizes[d]][];
    for (int windowIndex = 0; windowIndex < all.length; windowIndex++) {
      all[windowIndex] = offsets(d, windowIndex);
    }
    return all;
  }

  /** {@return the product of the sizes of the leading dimensions that the window does not span} */
  int independentPartCount() {
    int parts = 1;
    for (int d = 0; d < rank - 1; d++) {
      boolean isIndependent =
          window[d] == 1
              && stride[d] == 1
              && baseDilation[d] == 1
              && paddingLow[d] == 0
              && outputSizes[d] == baseSizes[d];
      if (!isIndependent) {
        break;
      }
      parts *= outputSizes[d];
    }
    return parts;
  }
}
