package org.hlo4j.interpreter.compiled.indexing;

/** Keys of elements. Public because generated classes implement it. */
public interface KeyMapping {
  /**
   * {@code keys[i]} is an integer ordered as {@code from[first + i * step]} is to be, for i below
   * count.
   *
   * @param from what is to be ordered
   * @param keys {@code int[]} if they fit, else {@code long[]}
   * @return how many of them are NaN, which has no place in the order
   */
  int map(Object[] from, int first, int step, Object[] keys, int count);
}
