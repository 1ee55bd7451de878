package org.hlo4j.interpreter.compiled.window;

import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A reduction of the windows of some rows. Positions at which every element of the window covers an
 * element of the base, with a constant stride, are reduced together by rows of vectors. The others,
 * at the borders, are reduced one by one, each for all rows.
 */
final class WindowReduction {
  /** The minimum number of lines for which a call has room. */
  private static final int ROOM = 1 << 10;

  private final WindowLoops loops;
  private final WindowPositions places;
  private final WindowPositions.Span[] spans;
  private final int rowLength;
  private final int lines;
  private final int apart;

  /**
   * The window positions that are reduced together: {@code first} (inclusive) to {@code end}
   * (exclusive).
   */
  private final int first;

  private final int end;

  WindowReduction(WindowPositions places, WindowLoops loops) {
    this.loops = loops;
    this.places = places;
    this.spans = places.spans();
    this.rowLength = places.rowLength();
    this.lines = places.newLines().length;
    this.apart = apart(spans);
    int from = 0;
    int to = rowLength;
    for (WindowPositions.Span span : spans) {
      boolean dense = span.step() == 1 && (span.fromStep() == apart || span.count() == 1);
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
  private static int apart(WindowPositions.Span[] spans) {
    for (WindowPositions.Span span : spans) {
      if (span.count() > 1) {
        return span.fromStep();
      }
    }
    return 1;
  }

  /** {@return whether most positions are reduced together} */
  boolean isDense() {
    return 2 * (end - first) >= rowLength && (long) lines * spans.length <= WindowLoops.MAX_LINES;
  }

  /** {@return the vector loop for a number of rows, if it is compiled and worthwhile} */
  @Nullable WindowLoop ready(int rows) {
    long work = (long) rows * (end - first) * lines * spans.length;
    return isDense() ? loops.ready(work, end - first) : null;
  }

  /**
   * Reduces rows, in each call as many as have the same number of lines.
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
      int endRow,
      KernelContext context) {
    int room = Math.max(ROOM, lines * spans.length);
    int[] under = new int[room / Math.max(1, spans.length) + lines];
    int[] one = places.newLines();
    Rows rows = new Rows(inits, to, from, under, new int[room]);
    Deinterleaving deinterleaving = new Deinterleaving(apart, from.length);
    int row = firstRow;
    while (row < endRow) {
      context.checkLimits();
      int count = places.lines(row, one);
      rows.row = row;
      rows.count = count;
      do {
        System.arraycopy(one, 0, under, (row - rows.row) * count, count);
        row++;
      } while (row < endRow
          && (row - rows.row + 1) * count * spans.length <= room
          && row - rows.row < ROOM
          && places.lines(row, one) == count);
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
    if (apart > 1 && found > 0) {
      from = deinterleaving.run(from, all, rows.rows * found, length);
      if (from.length == 0) {
        reduceBorder(rows, first, end);
        return;
      }
    }
    int t = rows.row * rowLength + first;
    if (vectors == null) {
      loops.scalar().reduce(rows.inits, rows.to, t, rowLength, from, all, found, length, rows.rows);
      return;
    }
    vectors.reduce(rows.inits, rows.to, t, rowLength, from, all, found, length, rows.rows);
    if (length % loops.width() > 0) {
      reduceLast(vectors, rows, from, found, length - loops.width());
    }
  }

  /** Reduces the last vector of positions, some of which are reduced once more. */
  private void reduceLast(WindowLoop vectors, Rows rows, Object[] from, int found, int behind) {
    int[] all = rows.all;
    for (int i = 0; i < rows.rows * found; i++) {
      all[i] += behind;
    }
    int t = rows.row * rowLength + first + behind;
    int width = loops.width();
    vectors.reduce(rows.inits, rows.to, t, rowLength, from, all, found, width, rows.rows);
  }

  private void reduceBorder(Rows rows, int from, int to) {
    for (int place = from; place < to; place++) {
      int found = linesAt(place, rows);
      int t = rows.row * rowLength + place;
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
  private int linesAt(int place, Rows rows) {
    int[] offsets = new int[spans.length];
    int found = 0;
    for (WindowPositions.Span span : spans) {
      int number = (place - span.first()) / span.step();
      if (place == span.first() + number * span.step() && number >= 0 && number < span.count()) {
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
