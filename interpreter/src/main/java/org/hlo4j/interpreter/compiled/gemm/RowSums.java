package org.hlo4j.interpreter.compiled.gemm;

/**
 * Sums of many rows, or products of them with one column. Public because generated classes
 * implement it.
 */
public interface RowSums {
  /**
   * Stores in {@code to[t + i]} the sum of {@code a[aStart + i * apart + k] * b[bStart + k]} over
   * k; without a column, that of {@code a[aStart + i * apart + k]} for k below {@link Gemv#LANES}.
   * It is accumulated in {@link Gemv#LANES} partial sums: number l adds the products l, l + LANES
   * and so on. Then the upper half of them is added to the lower half until one is left.
   *
   * @param b the column; not read if there is none
   * @param iterations the length of a row divided by {@link Gemv#LANES}; 0 without a column
   * @param count the number of groups, each of as many rows as a vector has lanes; if negative,
   *     nothing is computed
   * @param order the lanes of two vectors that are added, see {@link RowSumsCode#order}
   */
  void run(
      Object a,
      int aStart,
      int aStride,
      Object b,
      int bStart,
      int iterations,
      Object to,
      int t,
      int count,
      Object order);
}
