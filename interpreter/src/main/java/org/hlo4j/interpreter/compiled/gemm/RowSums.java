package org.hlo4j.interpreter.compiled.gemm;

/**
 * Multiplies rows by one column, again and again. Public because classes that are generated
 * implement it.
 */
public interface RowSums {
  /**
   * {@code to[t + i] = } the sum of {@code a[aStart + i * apart + k] * b[bStart + k]} over k:
   * {@link Gemv#LANES} sums of every so many-th product, added to each other's upper half until one
   * is left.
   *
   * @param iterations how many times {@link Gemv#LANES} elements a row has
   * @param count of how many groups, of as many rows as vectors have lanes; if negative, nothing is
   *     done
   * @param order which lanes of two vectors are added, see {@link HorizontalSumTree}
   */
  void run(
      Object a,
      int aStart,
      int apart,
      Object b,
      int bStart,
      int iterations,
      Object to,
      int t,
      int count,
      Object order);
}
