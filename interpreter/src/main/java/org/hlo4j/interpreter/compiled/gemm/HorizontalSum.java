package org.hlo4j.interpreter.compiled.gemm;

/**
 * Makes one sum of many, again and again. Public because classes that are generated implement it.
 */
public interface HorizontalSum {
  /**
   * {@code to[t + i] = } the sum of {@link Gemv#LANES} elements from {@code sums[start + i *
   * LANES]} on, added to each other's upper half until one is left.
   *
   * @param count of how many groups, of as many sums as vectors have lanes; if negative, nothing is
   *     done
   * @param order which lanes of two vectors are added, see {@link HorizontalSumTree}
   */
  void run(Object sums, int start, Object to, int t, int count, Object order);
}
