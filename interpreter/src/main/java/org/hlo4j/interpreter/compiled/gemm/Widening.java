package org.hlo4j.interpreter.compiled.gemm;

/** Makes elements those of a wider type. Public because classes that are generated implement it. */
public interface Widening {
  /**
   * {@code arrays[1][t + i * stride], ... = arrays[0][f + i * apart], ...} for i below {@link
   * Widenings#ROWS}, up to {@code arrays[0][end - 1 + i * apart]}.
   */
  void run(Object[] arrays, int f, int end, int apart, int t, int stride);
}
