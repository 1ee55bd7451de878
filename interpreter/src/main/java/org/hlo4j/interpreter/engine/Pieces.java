package org.hlo4j.interpreter.engine;

import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;

/**
 * The runner of long loops. Kernels hand it their work in elements, and it decides after how many
 * of them the deadline and interruption are asked for: it measures the time between two questions,
 * so that a piece takes about a millisecond, however expensive the body of the loop is and whether
 * it is compiled yet. No kernel asks by itself. An object of this class belongs to one thread.
 */
public final class Pieces {
  /** The greatest number of elements of a piece. */
  public static final int MAX = 1 << 16;

  /** The elements before the first question: little even if each takes 0.1 ms. */
  private static final int FIRST = 1 << 10;

  private static final long NANOS = 1_000_000;

  /** The greatest factor by which pieces grow from one to the next. */
  private static final int GROWTH = 8;

  private final int from;
  private final int end;
  private final long each;
  private long piece = FIRST;
  private long left = FIRST;
  private long last;

  /** Work on a range of indices, which may be split anywhere. */
  @FunctionalInterface
  public interface Work {
    /**
     * Does a part of the work.
     *
     * @param from the first index
     * @param end the index after the last one
     */
    void run(int from, int end);
  }

  /** Creates the pieces of work that {@link #next} is told of. */
  public Pieces() {
    this(0, 0);
  }

  /**
   * Creates the pieces of the work for a range of indices, each of which is an element.
   *
   * @param from the first index
   * @param end the index after the last one
   */
  public Pieces(int from, int end) {
    this(from, end, 1);
  }

  /**
   * Creates the pieces of the work for a range of indices, each of which takes as long as some
   * elements.
   *
   * @param from the first index
   * @param end the index after the last one
   * @param each the number of elements of an index
   */
  public Pieces(int from, int end, long each) {
    this.from = from;
    this.end = end;
    this.each = each;
  }

  /**
   * Does the work for the range in pieces of at most {@link #MAX} indices.
   *
   * @param work the work
   * @throws HloException if the run is interrupted or past its deadline
   */
  public void run(Work work) {
    run(from, end, each, work);
  }

  /**
   * Does the work of each index of the range, for work that takes longer than a call.
   *
   * @param work the work for an index
   * @throws HloException if the run is interrupted or past its deadline
   */
  public void forEach(IntConsumer work) {
    run((first, last) -> IntStream.range(first, last).forEach(work));
  }

  private void run(int from, int end, long each, Work work) {
    long size = Math.max(1, each);
    for (int at = from; at < end; ) {
      int next = at + Math.clamp(piece / size, 1, end - at);
      next((next - at) * size);
      work.run(at, next);
      at = next;
    }
  }

  /** Work on some columns of some rows, which may be split anywhere. */
  @FunctionalInterface
  public interface Block {
    /**
     * Does a part of the work.
     *
     * @param firstRow the first row
     * @param endRow the row after the last one
     * @param from the first column
     * @param end the column after the last one
     */
    void run(int firstRow, int endRow, int from, int end);
  }

  /**
   * Does the work for a grid: some rows at a time, or a part of a row if rows are long.
   *
   * @param rows the number of rows
   * @param from the first column
   * @param end the column after the last one
   * @param work the work
   * @throws HloException if the run is interrupted or past its deadline
   */
  public void runRows(int rows, int from, int end, Block work) {
    if (end - from <= FIRST) {
      run(0, rows, end - from, (first, last) -> work.run(first, last, from, end));
      return;
    }
    for (int row = 0; row < rows; row++) {
      int first = row;
      run(from, end, 1, (at, next) -> work.run(first, first + 1, at, next));
    }
  }

  /**
   * Tells of work that is about to be done, for loops whose iterations differ.
   *
   * @param elements the number of elements
   * @return whether a new piece begins with it
   * @throws HloException if the run is interrupted or past its deadline
   */
  public boolean next(long elements) {
    if (left > 0) {
      left -= elements;
      return false;
    }
    begin();
    left = piece - elements;
    return true;
  }

  /** Asks, and adapts the size of the next piece to the time of the last one. */
  private void begin() {
    Limits.checkCurrent();
    long now = System.nanoTime();
    if (last != 0) {
      double perElement = (now - last) / (double) (piece - left);
      piece =
          (long)
              Math.clamp(
                  NANOS / Math.max(perElement, 1e-3), 1, (double) Math.min(MAX, GROWTH * piece));
    }
    last = now;
  }
}
