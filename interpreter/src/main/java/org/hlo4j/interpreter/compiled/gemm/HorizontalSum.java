package org.hlo4j.interpreter.compiled.gemm;

/**
 * Horizontal sums of many groups of {@link Gemv#LANES} elements. Public because generated classes
 * implement it.
 */
public interface HorizontalSum {
  /**
   * Stores in {@code to[t + i]} the sum of the {@link Gemv#LANES} elements from {@code sums[start +
   * i * LANES]} on. The upper half is added to the lower half until one element is left.
   *
   * @param count the number of groups, each of as many sums as a vector has lanes; if negative,
   *     nothing is computed
   * @param order the lanes of two vectors that are added, see {@link HorizontalSumTree}
   */
  void run(Object sums, int start, Object to, int t, int count, Object order);
}
