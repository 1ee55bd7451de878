package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * The parameters of a {@link DepthwiseKernel}. A row of the image is seen as columns; tap t of
 * pixel p meets column {@code p * stride + t * dilation}.
 *
 * @param accumulatorType the type of the elements
 * @param lanes the number of elements of a vector
 * @param pixels the number of pixels
 * @param taps the number of taps of a row of the filter; 0 if it is an argument, and then so are
 *     the strides
 * @param stride the distance of the columns of neighbouring pixels
 * @param dilation the distance of the columns of neighbouring taps
 * @param before the number of columns, from the first one on, that lie before the image
 * @param after the number of columns, up to the last one, that lie behind the image
 */
record DepthwiseShape(
    AccumulatorType accumulatorType,
    int lanes,
    int pixels,
    int taps,
    int stride,
    int dilation,
    int before,
    int after)
    implements MicroKernels.Shape<DepthwiseKernel> {
  boolean hasConstantTaps() {
    return taps > 0;
  }

  int columns() {
    return (pixels - 1) * stride + (taps - 1) * dilation + 1;
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
    int most = WarmupInput.ITERATIONS;
    Object a = copies.allocate((most + Math.max(columns(), pixels + most)) * channels);
    Object b = copies.allocate((most + Math.max(taps, most)) * channels);
    Object c = copies.allocate(pixels * channels);
    return (kernel, iterations) -> {
      int rows = iterations > 0 ? Math.ceilDiv(iterations, vectors) : iterations - 1;
      kernel.run(
          a,
          0,
          channels,
          channels,
          channels,
          b,
          0,
          channels,
          channels,
          c,
          0,
          channels,
          rows,
          3,
          channels,
          Math.floorMod(rows, 3));
    };
  }
}
