package org.hlo4j.interpreter.compiled.gemm;

/**
 * The product of rows with a column, both contiguous. Public because generated classes implement
 * it.
 */
public interface RowSums {
  /**
   * Adds to {@code to[t + i]} the sum over k of {@code a[aStart + i * aStride + k] * b[bStart +
   * k]}, for each row i. It is accumulated in {@link Gemv#LANES} partial sums: number l adds the
   * products l, l + LANES and so on. Then the upper half of them is added to the lower half until
   * one is left.
   *
   * @param arrays a, b and to; generated code may also change the elements of to behind those of
   *     the rows, which are fewer than a vector has lanes
   * @param steps the number of steps k, a multiple of {@link Gemv#LANES}, at most 960 times that
   * @param row the first row i; 0 except in the warm-up of generated code
   * @param rows the end of the rows, exclusive
   */
  void run(
      Object[] arrays, int aStart, int aStride, int bStart, int steps, int t, int row, int rows);
}
