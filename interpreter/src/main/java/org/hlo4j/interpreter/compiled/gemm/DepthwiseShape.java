package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.math.LongMath;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * The parameters of a {@link DepthwiseKernel}. A row of the image is seen as columns; tap t of
 * pixel p meets column {@code p * stride + t * dilation}.
 *
 * @param accumulatorType the type of the elements
 * @param lanes the number of elements of a vector
 * @param pixels the number of pixels
 * @param taps the number of taps of a row of the filter
 * @param stride the distance of the columns of neighbouring pixels
 * @param dilation the distance of the columns of neighbouring taps
 * @param before the number of columns, from the first one on, that lie before the image
 * @param end the end, exclusive, of the columns that do not lie behind the image
 */
public record DepthwiseShape(
    AccumulatorType accumulatorType,
    int lanes,
    int pixels,
    int taps,
    int stride,
    int dilation,
    int before,
    int end)
    implements MicroKernels.Shape<DepthwiseKernel> {
  /** The maximum number of taps. */
  static final int MAX_TAPS = 16;

  /** The maximum distance of neighbouring pixels or taps, in columns. */
  private static final int MAX_APART = 64;

  /** The maximum number of products, so that the code is not too long for C2. */
  private static final int MAX_PRODUCTS = 98;

  /**
   * {@return whether a kernel can have a number of taps, given the distances of pixels and of taps
   * in the image}
   */
  public static boolean isPossible(long taps, long pixelStride, long tapStride) {
    long column = LongMath.gcd(pixelStride, tapStride);
    return taps == 1
        || (taps <= MAX_TAPS && Math.max(pixelStride, tapStride) <= MAX_APART * column);
  }

  /** {@return the maximum number of pixels: the taps of a row and all sums fit into registers} */
  static int maxPixels(AccumulatorType accumulatorType, int taps, int registers) {
    int most = Math.max(registers / 2, Math.min(registers - taps, 16)) - 2;
    return Math.min(most, MAX_PRODUCTS / (accumulatorType.isFloating() ? 1 : 2) / taps);
  }

  int columns() {
    return (pixels - 1) * stride + (taps - 1) * dilation + 1;
  }

  /** {@return the first tap of a pixel that meets the image, or a later one} */
  int firstTap(int pixel) {
    return Math.clamp(Math.ceilDiv(before - pixel * stride, dilation), 0, taps);
  }

  /** {@return the end, exclusive, of the taps of a pixel that meet the image} */
  int endTap(int pixel) {
    return Math.clamp(Math.ceilDiv(end - pixel * stride, dilation), 0, taps);
  }

  @Override
  public DepthwiseKernel generate() {
    return DepthwiseKernelCode.generate(this);
  }

  @Override
  public WarmupInput<DepthwiseKernel> warmup() {
    MatrixCopies copies = MatrixCopies.of(accumulatorType);
    int vectors = 3;
    int channels = vectors * lanes;
    Object a = copies.allocate((WarmupInput.ITERATIONS + columns()) * channels);
    Object b = copies.allocate((WarmupInput.ITERATIONS + taps) * channels);
    Object c = copies.allocate(pixels * channels);
    int[] steps =
        IntStream.range(0, 2 * WarmupInput.ITERATIONS).map(i -> i / 2 * channels).toArray();
    return (kernel, iterations) -> {
      int rows = iterations > 0 ? Math.ceilDiv(iterations, vectors) : iterations - 1;
      boolean add = iterations % 2 == 0;
      kernel.run(
          this, a, 0, channels, b, 0, channels, steps, 0, rows, c, 0, channels, channels, add);
    };
  }
}
