package org.hlo4j.interpreter.compiled.conv;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import java.util.stream.LongStream;
import org.hlo4j.hlo.op.Window;

/**
 * A phase of a convolution along one dimension: the window positions that meet the same taps of the
 * kernel. If the image is dilated, a tap meets an element at some positions only, and zeros at the
 * others; this pattern is periodic. Position q of a phase and tap t of the phase meet element
 * {@code start + q * stride + t * dilation} of the undilated image, if there is one.
 *
 * <p>Positions of different phases may also be combined in one phase ({@link CombinedPositions}),
 * at the cost of zeros around the kernel.
 *
 * @param firstPosition the first window position
 * @param positionStride the distance of window positions
 * @param positionCount the number of window positions
 * @param firstTap the first tap
 * @param tapStride the distance of taps
 * @param tapCount the number of taps; none if the positions meet zeros only
 * @param start the element that the first tap meets at the first position; may be negative
 * @param stride the distance of the elements that a tap meets at consecutive positions
 * @param dilation the distance of the elements that consecutive taps meet
 * @param combined the positions that are combined with each position
 */
record ConvolutionPhase(
    long firstPosition,
    long positionStride,
    long positionCount,
    long firstTap,
    long tapStride,
    long tapCount,
    long start,
    long stride,
    long dilation,
    CombinedPositions combined) {
  /**
   * Consecutive window positions that meet the same elements, each with other taps.
   *
   * @param positionCount the number of positions
   * @param tapShift the distance from the taps of a position back to those of the next one
   * @param zerosBefore the number of zeros before the kernel
   * @param zerosAfter the number of zeros after the kernel
   */
  record CombinedPositions(long positionCount, long tapShift, long zerosBefore, long zerosAfter) {
    /** A single position. */
    static final CombinedPositions NONE = new CombinedPositions(1, 0, 0, 0);
  }

  /**
   * Returns all phases along a dimension. If the result is empty, there is one, without positions.
   *
   * @param window the window
   * @param dimension the dimension
   * @param base the distance at which elements of the image are taken to be: the base dilation, or
   *     1 if the image is dilated beforehand
   * @param kernelSize the size of the kernel
   * @param resultSize the size of the result
   */
  static ImmutableList<ConvolutionPhase> phases(
      Window window, int dimension, long base, long kernelSize, long resultSize) {
    return LongStream.range(0, count(window, dimension, base, resultSize))
        .mapToObj(first -> of(window, dimension, base, kernelSize, resultSize, first))
        .collect(ImmutableList.toImmutableList());
  }

  /** {@return the number of phases} */
  static long count(Window window, int dimension, long base, long resultSize) {
    return Math.clamp(resultSize, 1, period(window, dimension, base));
  }

  /** {@return the number of window positions after which the same taps meet elements again} */
  private static long period(Window window, int dimension, long base) {
    return base / LongMath.gcd(window.strides().get(dimension), base);
  }

  private static ConvolutionPhase of(
      Window window, int dimension, long base, long kernelSize, long resultSize, long first) {
    long stride = window.strides().get(dimension);
    long dilation = window.windowDilation().get(dimension);
    long period = period(window, dimension, base);
    long tapStride = base / LongMath.gcd(dilation, base);
    long positionCount = Math.ceilDiv(resultSize - first, period);
    long begin = first * stride - window.paddingLow().get(dimension);
    long tap =
        LongStream.range(0, Math.min(kernelSize, tapStride))
            .filter(k -> Math.floorMod(begin + k * dilation, base) == 0)
            .findFirst()
            .orElse(kernelSize);
    return new ConvolutionPhase(
        first,
        period,
        positionCount,
        tap,
        tapStride,
        Math.ceilDiv(kernelSize - tap, tapStride),
        Math.floorDiv(begin + tap * dilation, base),
        period * stride / base,
        tapStride * dilation / base,
        CombinedPositions.NONE);
  }

  /**
   * {@return whether all phases along a dimension can be combined in one with contiguous positions}
   */
  static boolean canCombine(Window window, int dimension, long base, long resultSize) {
    long period = period(window, dimension, base);
    return period == 1
        || (window.windowDilation().get(dimension) == 1
            && resultSize % period == 0
            && resultSize > 0);
  }

  /**
   * {@return the combination of all phases along a dimension} Position {@code q * period + r} meets
   * its element t by tap {@code t * base + tap - r * stride}.
   */
  static ConvolutionPhase combined(
      Window window, int dimension, long base, long kernelSize, long resultSize) {
    long period = period(window, dimension, base);
    if (period == 1) {
      return of(window, dimension, base, kernelSize, resultSize, 0);
    }
    long stride = window.strides().get(dimension);
    long low = window.paddingLow().get(dimension);
    long tap = Math.floorMod(low, base);
    long maxTapShift = (period - 1) * stride;
    long tapCount = Math.floorDiv(kernelSize - 1 - tap + maxTapShift, base) + 1;
    long zerosBefore = Math.max(0, maxTapShift - tap);
    long zerosAfter = Math.max(0, (tapCount - 1) * base + tap - (kernelSize - 1));
    return new ConvolutionPhase(
        0,
        period,
        resultSize / period,
        zerosBefore + tap,
        base,
        tapCount,
        (tap - low) / base,
        period * stride / base,
        1,
        new CombinedPositions(period, stride, zerosBefore, zerosAfter));
  }

  boolean isEmpty() {
    return positionCount == 0 || tapCount == 0;
  }

  /** {@return the end, exclusive, of the elements that a phase meets, if it is not empty} */
  long end() {
    return start + (positionCount - 1) * stride + (tapCount - 1) * dilation + 1;
  }
}
