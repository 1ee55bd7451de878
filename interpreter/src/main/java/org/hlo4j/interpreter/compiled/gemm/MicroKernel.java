package org.hlo4j.interpreter.compiled.gemm;

/**
 * A generated micro-kernel, which multiplies a few rows with a panel of columns and keeps the sums
 * in registers.
 */
public interface MicroKernel {
  /**
   * Computes {@code c[i, j] = (add ? c[i, j] : 0) + sum over k of a[i, k] * b[k, j]}. Each step of
   * the sum is one fused multiply-add, in order of k. The element of c is added to the sum.
   *
   * @param a the left side, with {@code a[i, k]} at {@code aStart + i * aStride + k * aStep}
   * @param aStart the position of {@code a[0, 0]}
   * @param aStride the stride of the rows of a
   * @param aStep the stride of the elements of a row of a; not read if the kernel has a constant
   * @param b the right side, with {@code b[k, j]} at {@code bStart + k * bStride + j}
   * @param bStart the position of {@code b[0, 0]}
   * @param bStride the stride of the rows of b; not read if b is packed
   * @param c the result, with {@code c[i, j]} at {@code cStart + i * cStride + j}
   * @param cStart the position of {@code c[0, 0]}
   * @param cStride the stride of the rows of c
   * @param steps the number of steps k, below 960; if negative, nothing is computed
   * @param add whether to add to the elements of c
   */
  void run(
      Object a,
      int aStart,
      int aStride,
      int aStep,
      Object b,
      int bStart,
      int bStride,
      Object c,
      int cStart,
      int cStride,
      int steps,
      boolean add);
}
