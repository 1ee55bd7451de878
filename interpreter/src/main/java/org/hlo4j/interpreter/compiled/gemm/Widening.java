package org.hlo4j.interpreter.compiled.gemm;

/** The conversion of some rows to a wider type. Public because generated classes implement it. */
public interface Widening {
  /**
   * Converts the rows i below {@link Widenings#ROWS}: {@code arrays[1][t + i * stride], ... =
   * arrays[0][f + i * apart], ...} up to {@code arrays[0][end - 1 + i * apart]}.
   */
  void run(Object[] arrays, int f, int end, int sourceStride, int t, int stride);
}
