package org.hlo4j.interpreter.compiled.gemm;

/** A generated kernel: the product of a few rows with a panel of columns, held in registers. */
public interface MicroKernel {
  /**
   * {@code c[i, j] = (add ? c[i, j] : 0) + sum over k of a[i, k] * b[k, j]}, each step of the sum
   * one fused multiply-add, in order of k.
   *
   * @param a where {@code a[i, k]} lies at {@code aStart + i * aStride + k * stepStride}, the last
   *     a constant of the kernel
   * @param aStart the position of {@code a[0, 0]}
   * @param aStride how far apart rows of a lie
   * @param b a panel, {@code b[k, j]} at {@code bStart + k * width + j}; of a kernel for what is
   *     not packed at {@code bStart + k * cStride + j}
   * @param bStart the position of {@code b[0, 0]}
   * @param c where {@code c[i, j]} lies at {@code cStart + i * cStride + j}
   * @param cStart the position of {@code c[0, 0]}
   * @param cStride how far apart rows of c lie
   * @param steps how many k there are, below 960; if negative, nothing is done
   * @param add whether to add to what is in c
   */
  void run(
      Object a,
      int aStart,
      int aStride,
      Object b,
      int bStart,
      Object c,
      int cStart,
      int cStride,
      int steps,
      boolean add);
}
