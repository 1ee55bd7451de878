package org.hlo4j.interpreter.compiled.indexing;

/** Computes the sort keys of elements. Public because generated classes implement it. */
public interface KeyMapping {
  /**
   * Sets {@code keys[i]}, for i below count, to an integer whose order is that of {@code from[first
   * + i * step]}.
   *
   * @param from the array to sort, in an array of its own
   * @param keys {@code int[]} if the keys fit, otherwise {@code long[]}
   * @return how many elements are NaN, and thus have no position in the order
   */
  int map(Object[] from, int first, int step, Object[] keys, int count);
}
