package org.hlo4j.interpreter.compiled.gemm;

/**
 * A kernel of depthwise products, which computes a few pixels of a row for all channels. A
 * generated one is made for a {@link DepthwiseShape} and takes a vector of channels at a time.
 */
public interface DepthwiseKernel {
  /**
   * Computes {@code c[p, j] = sum over r and t of a[p, r, t, j] * b[r, t, j]}, where p is a pixel,
   * r a row of the filter, t a tap of the row that meets the image and j a channel. A sum is fused
   * multiply-adds, in order of r and then t.
   *
   * @param shape the shape
   * @param a the image, with {@code a[p, r, t, j]} at {@code aStart + steps[first + 2 * r] + column
   *     * aColumn + j}
   * @param aStart the position of the first pixel
   * @param aColumn the stride of columns
   * @param b the filter, with {@code b[r, t, j]} at {@code bStart + steps[first + 2 * r + 1] + t *
   *     bTap + j}
   * @param bStart the position of the first channel
   * @param bTap the stride of the taps of a row
   * @param steps the offsets of the rows of the filter, in a and in b by turns
   * @param first the index of the first of these
   * @param rows the number of rows of the filter, below 960; if negative, nothing is computed
   * @param c the result, with {@code c[p, j]} at {@code cStart + p * cPixel + j}
   * @param cStart the position of {@code c[0, 0]}
   * @param cPixel the stride of pixels of the result
   * @param channels the number of channels, for a generated kernel a multiple of its lanes
   * @param add whether to add the sums to the elements of c
   */
  void run(
      DepthwiseShape shape,
      Object a,
      int aStart,
      int aColumn,
      Object b,
      int bStart,
      int bTap,
      int[] steps,
      int first,
      int rows,
      Object c,
      int cStart,
      int cPixel,
      int channels,
      boolean add);
}
