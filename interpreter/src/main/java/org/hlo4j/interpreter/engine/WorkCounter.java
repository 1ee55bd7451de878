package org.hlo4j.interpreter.engine;

import org.hlo4j.hlo.HloException;

/**
 * Counts the work of a loop whose iterations differ, and checks the limits of this thread after
 * each piece of it.
 */
public final class WorkCounter {
  private long left = Limits.PIECE;

  /**
   * Adds work that is about to be done.
   *
   * @param elements the number of elements, each of which takes some nanoseconds
   * @throws HloException if the thread is interrupted or past the deadline
   */
  public void add(long elements) {
    left -= elements;
    if (left < 0) {
      left = Limits.PIECE;
      Limits.checkCurrent();
    }
  }
}
