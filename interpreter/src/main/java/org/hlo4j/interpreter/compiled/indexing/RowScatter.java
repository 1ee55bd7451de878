package org.hlo4j.interpreter.compiled.indexing;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.engine.Pieces;
import org.hlo4j.interpreter.engine.Workers;

/**
 * A scatter that combines its windows with the result row by row, in order. If rows are long,
 * threads share their columns. If they are short, each thread combines the rows in its own part of
 * the result, unless most windows begin in few rows. Rows that may overlap partly are combined one
 * by one, by one thread.
 */
final class RowScatter {
  private static final int MIN_COLUMNS = 32;

  /**
   * The minimum length of rows whose columns are shared without looking at the windows. Threads
   * that share shorter rows would write to the same cache lines.
   */
  private static final int LONG_ROW = 256;

  /** The number of windows that are looked at to estimate how start positions are distributed. */
  private static final int SAMPLE = 128;

  /** The number of consecutive windows in the sample. */
  private static final int SAMPLE_RUN = 16;

  /** The maximum share of a thread in the sample, relative to the average. */
  private static final double BALANCED = 1.3;

  /** The number of rows whose positions are computed at a time. */
  private static final int MAX_ROWS = 1 << 12;

  /** The minimum number of rows that the loop is given at a time; long ones stay in the caches. */
  private static final int ROWS_AT_ONCE = 64;

  private final WindowStarts starts;
  private final Offsets sources;
  private final int windowCount;
  private final int size;
  private final Offsets rowsTo;
  private final Offsets rowsFrom;
  private final int length;
  private final boolean areRowsDisjoint;

  /** Whether windows are single elements, contiguous in the updates: one thread combines them. */
  private final boolean areInOrder;

  /**
   * Creates a scatter.
   *
   * @param starts where windows begin in the result
   * @param sources where windows begin in the updates
   * @param size the number of elements of the result; not 0
   * @param rowsTo the offsets of the rows of a window in the result, from the start of the window
   * @param rowsFrom the offsets of the rows in the updates
   * @param length the number of elements of a row; not 0
   */
  RowScatter(
      WindowStarts starts,
      Offsets sources,
      int size,
      Offsets rowsTo,
      Offsets rowsFrom,
      int length) {
    this.starts = starts;
    this.sources = sources;
    this.windowCount = sources.count();
    this.size = size;
    this.rowsTo = rowsTo;
    this.rowsFrom = rowsFrom;
    this.length = length;
    this.areInOrder = length == 1 && rowsTo.count() == 1 && sources.hasStride(1);
    this.areRowsDisjoint = starts.areMultiples(length) && rowsTo.areMultiples(length);
  }

  /** The arrays of one run, and the code that combines them. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Job(RowScatterLoop loops, Object[] to, Object indices, Object[] from, Workers workers) {}

  boolean areInOrder() {
    return areInOrder;
  }

  /**
   * Combines all windows.
   *
   * @param isShared whether threads may share the work
   */
  void run(Job job, boolean isShared) {
    Workers workers = job.workers;
    boolean isLarge = (long) windowCount * rowsTo.count() * length >= Machine.GRAIN;
    int threads = isShared && isLarge && areRowsDisjoint && !areInOrder ? workers.count() : 1;
    int[] sample = threads == 1 || length >= LONG_ROW ? new int[0] : sample(job.indices);
    int[] bounds = bounds(sample, threads);
    int columnParts = Math.clamp(length / MIN_COLUMNS, 1, threads);
    if (columnParts > 1 && !isBalanced(sample, bounds)) {
      int columns = Math.ceilDiv(length, columnParts);
      workers.run(
          columnParts,
          part -> run(job, 0, size, part * columns, Math.min(length, (part + 1) * columns)));
    } else {
      workers.run(threads, part -> run(job, bounds[part], bounds[part + 1], 0, length));
    }
  }

  /** Returns the start positions of some windows, sorted. */
  private int[] sample(Object indices) {
    IntStream found;
    if (windowCount <= SAMPLE) {
      found = Arrays.stream(starts.of(indices, 0, windowCount));
    } else {
      int runs = SAMPLE / SAMPLE_RUN;
      int last = windowCount - SAMPLE_RUN;
      found =
          IntStream.range(0, runs)
              .flatMap(run -> {
                int first = (int) ((long) run * last / (runs - 1));
                return Arrays.stream(starts.of(indices, first, SAMPLE_RUN));
              });
    }
    return found.filter(start -> start >= 0).sorted().toArray();
  }

  /**
   * Returns where the part of each thread begins, so that all parts contain about the same share of
   * the sample.
   */
  private int[] bounds(int[] sample, int threads) {
    int[] bounds = new int[threads + 1];
    for (int part = 1; part < threads; part++) {
      bounds[part] =
          sample.length == 0
              ? (int) ((long) size * part / threads)
              : sample[(int) ((long) sample.length * part / threads)];
    }
    bounds[threads] = size;
    return bounds;
  }

  private static boolean isBalanced(int[] sample, int[] bounds) {
    int threads = bounds.length - 1;
    double maxShare = BALANCED * sample.length / threads;
    return sample.length > 0
        && IntStream.range(0, threads)
            .allMatch(part -> count(sample, bounds[part], bounds[part + 1]) <= maxShare);
  }

  private static long count(int[] sample, int from, int to) {
    return Arrays.stream(sample).filter(start -> from <= start && start < to).count();
  }

  /** Combines some columns of all rows that begin from {@code low} to {@code high}, exclusive. */
  private void run(Job job, int low, int high, int column, int stop) {
    int rowsAtOnce = areRowsDisjoint ? Math.max(ROWS_AT_ONCE, MAX_ROWS / length) : 1;
    int windowsAtOnce = Math.max(1, MAX_ROWS / rowsTo.count());
    Pieces pieces = new Pieces();
    for (int first = 0; first < windowCount; first += windowsAtOnce) {
      pieces.next(windowsAtOnce);
      int[] at = starts.of(job.indices, first, Math.min(windowsAtOnce, windowCount - first));
      int[] from = new int[areInOrder ? 1 : at.length];
      sources.fill(first, from.length, from);
      for (int row = 0; row < rowsTo.count(); row += MAX_ROWS) {
        int end = Math.min(rowsTo.count(), row + MAX_ROWS);
        int[] targets = rows(at, rowsTo, row, end);
        int[] positions = rows(from, rowsFrom, row, end);
        // loops themselves leave out windows, and thus rows in order
        int count = areInOrder ? targets.length : select(targets, positions, low, high);
        Pieces.Block block =
            (begin, last, left, right) -> {
              for (int done = begin; done < last; done += rowsAtOnce) {
                int next = Math.min(last, done + rowsAtOnce);
                job.loops.scatter(job.to, targets, job.from, positions, done, next, left, right);
              }
            };
        pieces.runRows(count, column, stop, block);
      }
    }
  }

  /** Returns where some rows of windows begin; -1 for the rows of a window that is left out. */
  private static int[] rows(int[] windows, Offsets all, int first, int end) {
    if (all.count() == 1) {
      return windows;
    }
    int[] rows = new int[end - first];
    all.fill(first, rows.length, rows);
    int[] positions = new int[windows.length * (end - first)];
    int count = 0;
    for (int window : windows) {
      for (int row : rows) {
        positions[count++] = window < 0 ? -1 : window + row;
      }
    }
    return positions;
  }

  /**
   * Keeps the rows that begin from {@code low} to {@code high}, exclusive. There is no branch,
   * because it could not be predicted.
   */
  private static int select(int[] targets, int[] positions, int low, int high) {
    int count = 0;
    for (int i = 0; i < targets.length; i++) {
      int target = targets[i];
      targets[count] = target;
      positions[count] = positions[i];
      count += ((target - low) | (high - 1 - target)) >>> 31 ^ 1;
    }
    return count;
  }
}
