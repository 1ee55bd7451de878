package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.interpreter.compiled.expr.Reducer;

/**
 * The order in which the terms of a sum of floats are added. It depends on the reducer and on the
 * number of terms only, never on how many sums there are, on threads or on vectors: so the sum of a
 * row or a column has the same bits whatever it is computed with.
 *
 * <p>Term i of a part goes to accumulator i modulo {@link #accumulators}; the terms that do not
 * fill a round go to the first one. The first accumulator of the first part begins with the initial
 * value. Accumulators are combined in halves: i with {@code i + accumulators / 2}. The sums of
 * parts are added in order.
 *
 * @param accumulators the number of accumulators: a power of two; 1 if terms are added in order
 * @param part the number of terms in a part, a multiple of the accumulators
 */
record SummationOrder(int accumulators, int part) {
  /** The number of terms from which on contiguous rows have several accumulators. */
  static final int MIN_ALONG = 24;

  /** The number of terms from which on columns have several accumulators. */
  private static final int MIN_ACROSS = 257;

  static final SummationOrder IN_ORDER = new SummationOrder(1, Integer.MAX_VALUE);

  /**
   * {@return the order of the terms along any dimension but a contiguous innermost one} Whatever is
   * not a sum of floats has one accumulator, and parts if its result is the same in any order.
   *
   * @param terms the number of terms of a sum
   */
  static SummationOrder across(Reducer reducer, long terms) {
    boolean isInOrder = !reducer.isUnordered() || (reducer.isSum() && terms < MIN_ACROSS);
    return isInOrder ? IN_ORDER : new SummationOrder(reducer.isSum() ? 8 : 1, 8 * 1024);
  }

  /** {@return whether terms have several accumulators} */
  boolean isInterleaved() {
    return accumulators > 1;
  }
}
