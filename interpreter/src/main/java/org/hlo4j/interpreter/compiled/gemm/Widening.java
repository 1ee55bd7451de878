package org.hlo4j.interpreter.compiled.gemm;

/** The conversion of rows to a wider type. Public because generated classes implement it. */
public interface Widening {
  /**
   * Converts {@code arrays[1][t + i * stride + j] = arrays[0][f + i * sourceStride + j]} for i
   * below rows and j below columns. If there are fewer columns than 0, nothing is converted.
   */
  void run(Object[] arrays, int f, int sourceStride, int rows, int columns, int t, int stride);
}
