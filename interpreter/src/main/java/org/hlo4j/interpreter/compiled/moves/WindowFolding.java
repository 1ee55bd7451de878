package org.hlo4j.interpreter.compiled.moves;

import org.jspecify.annotations.Nullable;

/**
 * Folds what lies under a row of places. Places that have an element under all of the window, those
 * neighbours of each other, are folded together; the others one by one.
 */
final class WindowFolding {
  private final Foldings foldings;
  private final WindowPlaces.Span[] spans;
  private final int rowLength;
  private final int lines;

  /** The places that are folded together: from the first to before the other. */
  private final int first;

  private final int end;

  WindowFolding(WindowPlaces places, Foldings foldings) {
    this.foldings = foldings;
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

  /** Room for one place's lines. */
  int[] newPlaces() {
    return new int[lines * spans.length];
  }

  /**
   * Folds a row into what is there.
   *
   * @param vectors the loops by vectors, if there are any
   * @param to where the row lies from t on
   * @param under where the lines under it begin, so many
   * @param places room for one place's lines
   */
  void fold(
      @Nullable Folding vectors,
      Object[] to,
      int t,
      Object[] from,
      int[] under,
      int count,
      int[] places) {
    each(to, t, 0, first, from, under, count, places);
    each(to, t, end, rowLength, from, under, count, places);
    int found = 0;
    for (int i = 0; i < count; i++) {
      for (WindowPlaces.Span span : spans) {
        places[found++] = under[i] + span.from() + first - span.first();
      }
    }
    int done = 0;
    if (vectors != null) {
      done = (end - first) / foldings.width() * foldings.width();
      vectors.fold(to, t + first, from, places, found, done);
      for (int i = 0; i < found && done > 0; i++) {
        places[i] += done;
      }
    }
    int rest = end - first - done;
    if (rest > 0) {
      foldings.scalar().fold(to, t + first + done, from, places, found, rest);
    }
  }

  private void each(
      Object[] to, int t, int start, int stop, Object[] from, int[] under, int count, int[] at) {
    for (int place = start; place < stop; place++) {
      int found = 0;
      for (int i = 0; i < count; i++) {
        for (WindowPlaces.Span span : spans) {
          int number = (place - span.first()) / span.step();
          if (place == span.first() + number * span.step()
              && number >= 0
              && number < span.count()) {
            at[found++] = under[i] + span.from() + number * span.fromStep();
          }
        }
      }
      foldings.scalar().fold(to, t + place, from, at, found, 1);
    }
  }
}
