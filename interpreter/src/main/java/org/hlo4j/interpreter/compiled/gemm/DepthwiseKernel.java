package org.hlo4j.interpreter.compiled.gemm;

/**
 * A generated kernel of depthwise products, which computes a few pixels of a row for all channels,
 * a vector of channels at a time.
 */
public interface DepthwiseKernel {
  /** The mode that stores sums. */
  int STORE = 0;

  /** The mode in which the elements of c are the beginnings of the sums. */
  int CONTINUE = 1;

  /** The mode that adds sums to the elements of c. */
  int ADD = 2;

  /**
   * Computes {@code c[p, j] = sum over r and t of a[p, r, t, j] * b[r, t, j]}, where p is a pixel,
   * r a row of the filter, t a tap of the row and j a channel. A sum is fused multiply-adds, in
   * order of r and then t.
   *
   * @param a the image, with {@code a[p, r, t, j]} at {@code aStart + p * aPixel + r * aRow + t *
   *     aTap + j}
   * @param aStart the position of {@code a[0, 0, 0, 0]}
   * @param aRow the stride of the rows of the filter in the image
   * @param aPixel the stride of pixels; not read if the kernel has constant taps
   * @param aTap the stride of taps; the stride of columns if the kernel has constant taps
   * @param b the filter, with {@code b[r, t, j]} at {@code bStart + r * bRow + t * bTap + j}
   * @param bStart the position of {@code b[0, 0, 0]}
   * @param bRow the stride of the rows of the filter
   * @param bTap the stride of the taps of a row
   * @param c the result, with {@code c[p, j]} at {@code cStart + p * cPixel + j}
   * @param cStart the position of {@code c[0, 0]}
   * @param cPixel the stride of pixels of the result
   * @param rows the number of rows of the filter, below 960; if negative, nothing is computed
   * @param taps the number of taps of a row, below 960; not read if the kernel has constant taps
   * @param channels the number of channels, a multiple of the lanes of a vector
   * @param mode what to do with the elements of c
   */
  void run(
      Object a,
      int aStart,
      int aRow,
      int aPixel,
      int aTap,
      Object b,
      int bStart,
      int bRow,
      int bTap,
      Object c,
      int cStart,
      int cPixel,
      int rows,
      int taps,
      int channels,
      int mode);
}
