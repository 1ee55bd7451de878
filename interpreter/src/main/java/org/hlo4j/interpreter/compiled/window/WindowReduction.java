package org.hlo4j.interpreter.compiled.window;

import org.hlo4j.interpreter.engine.Pieces;
import org.jspecify.annotations.Nullable;

/**
 * A reduction of the windows of some rows. Positions at which every element of the window covers an
 * element of the base, with a constant stride, are reduced together by rows of vectors. The others,
 * at the borders, are reduced one by one, each for all rows.
 */
final class WindowReduction {
  /** The minimum number of lines whose indices the arrays of a call can hold. */
  private static final int MIN_LINE_CAPACITY = 1 << 10;

  /**
   * The number of elements that are combined at a time, which is a multiple of any vector: enough
   * for the loops of a few lines, and few if the computation is expensive.
   */
  private static final int PIECE = 1 << 15;

  private final WindowLoops loops;
  private final WindowPositions positions;
  private final WindowPositions.Span[] spans;
  private final int rowLength;
  private final int lines;
  private final int positionStride;

  /**
   * The window positions that are reduced together: {@code first} (inclusive) to {@code end}
   * (exclusive).
   */
  private final int first;

  private final int end;

  WindowReduction(WindowPositions positions, WindowLoops loops) {
    this.loops = loops;
    this.positions = positions;
    this.spans = positions.spans();
    this.rowLength = positions.rowLength();
    this.lines = positions.newLines().length;
    this.positionStride = positionStride(spans);
    int from = 0;
    int to = rowLength;
    for (WindowPositions.Span span : spans) {
      boolean dense = span.step() == 1 && (span.fromStep() == positionStride || span.count() == 1);
      from = Math.max(from, span.first());
      to = dense ? Math.min(to, span.first() + span.count()) : 0;
    }
    this.first = Math.min(from, rowLength);
    this.end = Math.max(to, first);
  }

  /**
   * {@return the distance of the elements that neighbouring positions have under the same element
   * of the window}
   */
  private static int positionStride(WindowPositions.Span[] spans) {
    for (WindowPositions.Span span : spans) {
      if (span.count() > 1) {
        return span.fromStep();
      }
    }
    return 1;
  }

  /**
   * {@return about how many bytes the threads need for the indices of lines, and for copies}
   *
   * @param baseBytes the number of bytes of the base arrays
   */
  long bytes(int threads, long baseBytes) {
    long capacity = Math.max(MIN_LINE_CAPACITY, (long) lines * spans.length);
    long copies = positionStride > 1 ? 2 * baseBytes : 0;
    return copies + (long) threads * Integer.BYTES * (2 * capacity + spans.length + 2L * lines);
  }

  /** {@return whether most positions are reduced together} */
  boolean isDense() {
    return 2 * (end - first) >= rowLength && (long) lines * spans.length <= WindowLoops.MAX_LINES;
  }

  /** {@return the vector loop for a number of rows, if it is compiled and worthwhile} */
  @Nullable WindowLoop vectorLoopIfCompiled(int rows) {
    long work = (long) rows * (end - first) * lines * spans.length;
    return isDense() ? loops.vectorLoopIfCompiled(work, end - first) : null;
  }

  /**
   * Reduces rows; consecutive rows with the same number of lines share calls of the loop.
   *
   * @param vectors the vector loop, if there is one
   * @param inits the initial values
   */
  void reduce(
      @Nullable WindowLoop vectors,
      Object[] inits,
      Object[] to,
      Object[] from,
      int firstRow,
      int endRow) {
    int capacity = Math.max(MIN_LINE_CAPACITY, lines * spans.length);
    int[] under = new int[capacity / Math.max(1, spans.length) + lines];
    int[] one = positions.newLines();
    Rows rows = new Rows(inits, to, from, under, new int[capacity]);
    Deinterleaving deinterleaving = new Deinterleaving(positionStride, from.length);
    int row = firstRow;
    while (row < endRow) {
      int count = positions.lines(row, one);
      rows.row = row;
      rows.count = count;
      do {
        System.arraycopy(one, 0, under, (row - rows.row) * count, count);
        row++;
      } while (row < endRow
          && (row - rows.row + 1) * count * spans.length <= capacity
          && row - rows.row < MIN_LINE_CAPACITY
          && positions.lines(row, one) == count);
      rows.rows = row - rows.row;
      reduceBorder(rows, 0, first);
      reduceInterior(vectors, rows, deinterleaving);
      reduceBorder(rows, end, rowLength);
    }
  }

  /**
   * Rows with the same number of lines under each, and arrays for the indices of the elements of
   * lines.
   */
  private static final class Rows {
    private final Object[] inits;
    private final Object[] to;
    private final Object[] from;
    private final int[] under;
    private final int[] all;
    private final Pieces pieces = new Pieces();
    private int row;
    private int rows;
    private int count;

    Rows(Object[] inits, Object[] to, Object[] from, int[] under, int[] all) {
      this.inits = inits;
      this.to = to;
      this.from = from;
      this.under = under;
      this.all = all;
    }
  }

  private void reduceInterior(
      @Nullable WindowLoop vectors, Rows rows, Deinterleaving deinterleaving) {
    int length = end - first;
    if (length == 0) {
      return;
    }
    int[] all = rows.all;
    int found = linesAt(first, rows);
    Object[] from = rows.from;
    if (positionStride > 1 && found > 0) {
      from = deinterleaving.run(from, all, rows.rows * found, length);
      if (from.length == 0) {
        reduceBorder(rows, first, end);
        return;
      }
    }
    WindowLoop loop = vectors == null ? loops.scalar() : vectors;
    int width = vectors == null ? 1 : loops.width();
    int each = Math.max(1, PIECE / Math.max(1, rows.rows * found) / width) * width;
    for (int at = 0; at < length; at += each) {
      int count = Math.min(each, length - at);
      reduceSome(loop, rows, from, found, at, count);
      if (count % width > 0) {
        // The last vector of positions overlaps the one before it.
        move(rows, found, count - width);
        reduceSome(loop, rows, from, found, at + count - width, width);
      }
      if (length - at > each) {
        move(rows, found, each);
      }
    }
  }

  /** Reduces {@code count} positions from position {@code at} of the interior on. */
  private void reduceSome(WindowLoop loop, Rows rows, Object[] from, int found, int at, int count) {
    rows.pieces.next((long) rows.rows * found * count);
    int t = rows.row * rowLength + first + at;
    loop.reduce(rows.inits, rows.to, t, rowLength, from, rows.all, found, count, rows.rows);
  }

  /** Moves the indices of the elements of lines by a number of positions. */
  private static void move(Rows rows, int found, int positions) {
    for (int i = 0; i < rows.rows * found; i++) {
      rows.all[i] += positions;
    }
  }

  private void reduceBorder(Rows rows, int from, int to) {
    for (int position = from; position < to; position++) {
      int found = linesAt(position, rows);
      rows.pieces.next((long) rows.rows * (found + spans.length));
      int t = rows.row * rowLength + position;
      loops
          .scalar()
          .reduce(rows.inits, rows.to, t, rowLength, rows.from, rows.all, found, 1, rows.rows);
    }
  }

  /**
   * Writes the indices of the elements under a position of each row.
   *
   * @return the number of elements for each row
   */
  private int linesAt(int position, Rows rows) {
    int[] offsets = new int[spans.length];
    int found = 0;
    for (WindowPositions.Span span : spans) {
      int number = (position - span.first()) / span.step();
      if (position == span.first() + number * span.step() && number >= 0 && number < span.count()) {
        offsets[found++] = span.from() + number * span.fromStep();
      }
    }
    int[] all = rows.all;
    int filled = 0;
    for (int i = 0; i < rows.rows * rows.count; i++) {
      for (int k = 0; k < found; k++) {
        all[filled++] = rows.under[i] + offsets[k];
      }
    }
    return rows.count * found;
  }
}
