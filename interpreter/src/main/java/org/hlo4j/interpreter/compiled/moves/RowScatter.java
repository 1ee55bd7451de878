package org.hlo4j.interpreter.compiled.moves;

import java.util.Arrays;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.hlo4j.interpreter.kernel.Workers;

/**
 * Combines the windows of a scatter with what is there, row by row and in order. Threads share the
 * columns of long rows; of short ones each does those of its own part of the result. Rows that may
 * lie across each other are done one by one, by one thread.
 */
final class RowScatter {
  private static final int PARALLEL = 1 << 15;
  private static final int LEAST_COLUMNS = 32;
  private static final int MOST_ROWS = 1 << 10;

  /** So many rows are combined column by column; where they are long, these stay in the caches. */
  private static final int TOGETHER = 64;

  private final Starts starts;
  private final Walk sources;
  private final int windows;
  private final int size;
  private final int[] rowsTo;
  private final int[] rowsFrom;
  private final int length;
  private final boolean isApart;

  /**
   * The rows of windows.
   *
   * @param starts where windows begin in the result
   * @param sources where they begin in the updates
   * @param size how many elements the result has; not 0
   * @param rowsTo where each row of a window lies in the result, from where the window begins
   * @param rowsFrom where it lies in the updates
   * @param length how many elements a row has; not 0
   */
  RowScatter(Starts starts, Walk sources, int size, Walk rowsTo, Walk rowsFrom, int length) {
    this.starts = starts;
    this.sources = sources;
    this.windows = sources.count();
    this.size = size;
    this.rowsTo = rowsTo.all();
    this.rowsFrom = rowsFrom.all();
    this.length = length;
    this.isApart =
        starts.areMultiples(length)
            && Arrays.stream(this.rowsTo).allMatch(row -> row % length == 0);
  }

  /** What is combined in one run. */
  static final class Job {
    private final RowScattering loops;
    private final Object[] to;
    private final Object indices;
    private final Object[] from;
    private final KernelContext context;

    Job(RowScattering loops, Object[] to, Object indices, Object[] from, KernelContext context) {
      this.loops = loops;
      this.to = to;
      this.indices = indices;
      this.from = from;
      this.context = context;
    }
  }

  /** All windows. */
  void run(Job job) {
    Workers workers = job.context.workers();
    boolean isLarge = (long) windows * rowsTo.length * length >= PARALLEL;
    int threads = isLarge ? workers.count() : 1;
    int columnParts = isApart ? Math.clamp(length / LEAST_COLUMNS, 1, threads) : 1;
    int columns = Math.ceilDiv(length, columnParts);
    int places = columnParts > 1 || !isApart ? size : Math.ceilDiv(size, threads);
    workers.run(
        columnParts * Math.ceilDiv(size, places),
        part -> {
          int column = part % columnParts * columns;
          int low = part / columnParts * places;
          run(job, low, Math.min(size, low + places), column, Math.min(length, column + columns));
        });
  }

  /** Of all rows that begin somewhere from low to before high some columns. */
  private void run(Job job, int low, int high, int column, int stop) {
    int together = isApart ? TOGETHER : 1;
    int many = Math.max(1, MOST_ROWS / rowsTo.length);
    for (int first = 0; first < windows; first += many) {
      job.context.checkLimits();
      int[] at = starts.of(job.indices, first, Math.min(many, windows - first));
      int[] from = new int[at.length];
      sources.fill(first, at.length, from);
      for (int row = 0; row < rowsTo.length; row += MOST_ROWS) {
        int end = Math.min(rowsTo.length, row + MOST_ROWS);
        int[] targets = rows(at, rowsTo, row, end);
        int[] places = rows(from, rowsFrom, row, end);
        int count = select(targets, places, low, high);
        for (int done = 0; done < count; done += together) {
          int next = Math.min(count, done + together);
          job.loops.scatter(job.to, targets, job.from, places, done, next, column, stop);
        }
      }
    }
  }

  /** Where some rows of windows begin; those of a window that is left out at -1. */
  private static int[] rows(int[] windows, int[] rows, int first, int end) {
    if (rows.length == 1) {
      return windows;
    }
    int[] places = new int[windows.length * (end - first)];
    int count = 0;
    for (int window : windows) {
      for (int row = first; row < end; row++) {
        places[count++] = window < 0 ? -1 : window + rows[row];
      }
    }
    return places;
  }

  /** Keeps what begins somewhere from low to before high; no branch could be foreseen. */
  private static int select(int[] targets, int[] places, int low, int high) {
    int count = 0;
    for (int i = 0; i < targets.length; i++) {
      int target = targets[i];
      targets[count] = target;
      places[count] = places[i];
      count += ((target - low) | (high - 1 - target)) >>> 31 ^ 1;
    }
    return count;
  }
}
