package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.interpreter.kernel.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * Folds what lies under a row of places. Places that have an element under all of the window, those
 * neighbours of each other, are folded together; the others one by one.
 */
final class WindowFolding {
  /** For how many lines there is room in a call, at least. */
  private static final int ROOM = 1 << 10;

  private final Foldings foldings;
  private final WindowPlaces places;
  private final WindowPlaces.Span[] spans;
  private final int rowLength;
  private final int lines;

  /** The places that are folded together: from the first to before the other. */
  private final int first;

  private final int end;

  WindowFolding(WindowPlaces places, Foldings foldings) {
    this.foldings = foldings;
    this.places = places;
    this.spans = places.spans();
    this.rowLength = places.rowLength();
    this.lines = places.newLines().length;
    int from = 0;
    int to = rowLength;
    for (WindowPlaces.Span span : spans) {
      boolean dense = span.step() == 1 && (span.fromStep() == 1 || span.count() == 1);
      from = Math.max(from, span.first());
      to = dense ? Math.min(to, span.first() + span.count()) : 0;
    }
    this.first = Math.min(from, rowLength);
    this.end = Math.max(to, first);
  }

  /** Whether most places are folded together. */
  boolean isDense() {
    return 2 * (end - first) >= rowLength && (long) lines * spans.length <= Foldings.MOST_LINES;
  }

  /** The loops by vectors for so many rows, if these are ready and worth it. */
  @Nullable Folding ready(int rows) {
    long work = (long) rows * (end - first) * lines * spans.length;
    return isDense() ? foldings.ready(work, end - first) : null;
  }

  /**
   * Folds rows, as many in a call as have equally many lines under them.
   *
   * @param vectors the loops by vectors, if there are any
   * @param inits what to begin with
   */
  void fold(
      @Nullable Folding vectors,
      Object[] inits,
      Object[] to,
      Object[] from,
      int firstRow,
      int endRow,
      KernelContext context) {
    int[] under = places.newLines();
    int[] all = new int[Math.max(ROOM, lines * spans.length)];
    int[] one = new int[lines * spans.length];
    int row = firstRow;
    while (row < endRow) {
      context.checkLimits();
      int first = row;
      int count = places.lines(row, under);
      int filled = 0;
      do {
        filled = addLines(under, count, all, filled);
        foldApart(inits, to, row, from, under, count, one);
        row++;
      } while (row < endRow
          && filled + count * spans.length <= all.length
          && places.lines(row, under) == count);
      foldTogether(vectors, inits, to, first, from, all, count * spans.length, row - first);
    }
  }

  /** Where the lines under the first place that is folded together begin. */
  private int addLines(int[] under, int count, int[] all, int filled) {
    int next = filled;
    for (int i = 0; i < count; i++) {
      for (WindowPlaces.Span span : spans) {
        all[next++] = under[i] + span.from() + first - span.first();
      }
    }
    return next;
  }

  private void foldTogether(
      @Nullable Folding vectors,
      Object[] inits,
      Object[] to,
      int row,
      Object[] from,
      int[] all,
      int count,
      int rows) {
    int t = row * rowLength + first;
    int done = 0;
    if (vectors != null) {
      done = (end - first) / foldings.width() * foldings.width();
      vectors.fold(inits, to, t, rowLength, from, all, count, done, rows);
    }
    int rest = end - first - done;
    if (rest > 0) {
      for (int i = 0; i < rows * count && done > 0; i++) {
        all[i] += done;
      }
      foldings.scalar().fold(inits, to, t + done, rowLength, from, all, count, rest, rows);
    }
  }

  /** The places of a row that are not folded together, one by one. */
  private void foldApart(
      Object[] inits, Object[] to, int row, Object[] from, int[] under, int count, int[] one) {
    for (int place = 0; place < rowLength; place++) {
      if (place == first) {
        place = end;
      }
      if (place < rowLength) {
        int found = linesAt(place, under, count, one);
        int t = row * rowLength + place;
        foldings.scalar().fold(inits, to, t, 0, from, one, found, 1, 1);
      }
    }
  }

  private int linesAt(int place, int[] under, int count, int[] one) {
    int found = 0;
    for (int i = 0; i < count; i++) {
      for (WindowPlaces.Span span : spans) {
        int number = (place - span.first()) / span.step();
        if (place == span.first() + number * span.step() && number >= 0 && number < span.count()) {
          one[found++] = under[i] + span.from() + number * span.fromStep();
        }
      }
    }
    return found;
  }
}
