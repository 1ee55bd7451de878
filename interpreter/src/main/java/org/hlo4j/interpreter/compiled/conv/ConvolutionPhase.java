package org.hlo4j.interpreter.compiled.conv;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.Window;

/**
 * A phase of a convolution along one dimension: the window positions that meet the same taps of the
 * kernel. If the image is dilated, a tap meets an element at some positions only, and zeros at the
 * others; this pattern is periodic. Position q of a phase and tap t of the phase meet element
 * {@code start + q * stride + t * dilation} of the undilated image, if there is one.
 *
 * <p>All phases may be combined in one: each of its positions is several neighbouring window
 * positions, which meet the same elements, each with other taps. That takes zeros around the
 * kernel.
 *
 * @param firstPosition the first window position
 * @param positionStride the distance of window positions
 * @param positionCount the number of window positions
 * @param firstTap the first tap, of the first neighbour
 * @param tapStride the distance of taps
 * @param tapCount the number of taps; none if the positions meet zeros only
 * @param start the element that the first tap meets at the first position; may be negative
 * @param stride the distance of the elements that a tap meets at consecutive positions
 * @param dilation the distance of the elements that consecutive taps meet
 * @param neighbours the number of window positions that are combined in one, at least 1
 * @param tapShift the distance from the taps of a neighbour back to those of the next one
 * @param zerosBefore the number of zeros before the kernel
 * @param zerosAfter the number of zeros after the kernel
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
    long neighbours,
    long tapShift,
    long zerosBefore,
    long zerosAfter) {
  /**
   * Returns the phases along each dimension: apart, or combined, if that is possible and less work.
   *
   * @param window the window
   * @param sizes the spatial sizes of the result
   * @param columns the number of features of the result in a group
   * @param mayCombine whether they may be combined
   */
  static ImmutableList<ImmutableList<ConvolutionPhase>> along(
      Window window, Dims sizes, long columns, boolean mayCombine) {
    ImmutableList<ImmutableList<ConvolutionPhase>> apart = along(window, sizes, false);
    if (!mayCombine
        || !IntStream.range(0, window.rank()).allMatch(i -> canCombine(window, i, sizes.get(i)))) {
      return apart;
    }
    ImmutableList<ImmutableList<ConvolutionPhase>> combined = along(window, sizes, true);
    return cost(combined, columns) < cost(apart, columns) ? combined : apart;
  }

  private static ImmutableList<ImmutableList<ConvolutionPhase>> along(
      Window window, Dims sizes, boolean areCombined) {
    return IntStream.range(0, window.rank())
        .mapToObj(i -> along(window, i, sizes.get(i), areCombined))
        .collect(toImmutableList());
  }

  /**
   * Returns all phases along a dimension. If the result is empty, there is one, without positions.
   *
   * @param window the window
   * @param dimension the dimension
   * @param resultSize the size of the result
   * @param areCombined whether all phases are combined in one
   */
  static ImmutableList<ConvolutionPhase> along(
      Window window, int dimension, long resultSize, boolean areCombined) {
    long neighbours = areCombined ? period(window, dimension) : 1;
    return LongStream.range(0, areCombined ? 1 : count(window, dimension, resultSize))
        .mapToObj(first -> of(window, dimension, resultSize, first, neighbours))
        .collect(toImmutableList());
  }

  /** {@return whether all phases along a dimension can be combined} */
  static boolean canCombine(Window window, int dimension, long resultSize) {
    long period = period(window, dimension);
    return period == 1
        || (window.windowDilation().get(dimension) == 1
            && resultSize % period == 0
            && resultSize > 0);
  }

  /**
   * Returns the number of window positions times the number of taps that they meet, times the
   * number of vectors that the columns fill.
   */
  private static double cost(List<ImmutableList<ConvolutionPhase>> phases, long columns) {
    double steps = 1;
    long all = columns;
    for (List<ConvolutionPhase> along : phases) {
      steps *= along.stream().mapToDouble(each -> each.positionCount() * each.tapCount()).sum();
      all *= along.get(0).neighbours();
    }
    return steps * Math.ceilDiv(all, ConvolutionGemm.VECTOR_LANES);
  }

  /** {@return the number of phases} */
  static long count(Window window, int dimension, long resultSize) {
    return Math.clamp(resultSize, 1, period(window, dimension));
  }

  /** {@return the number of window positions after which the same taps meet elements again} */
  private static long period(Window window, int dimension) {
    long base = window.baseDilation().get(dimension);
    return base / LongMath.gcd(window.strides().get(dimension), base);
  }

  private static ConvolutionPhase of(
      Window window, int dimension, long resultSize, long first, long neighbours) {
    long size = window.sizes().get(dimension);
    long stride = window.strides().get(dimension);
    long dilation = window.windowDilation().get(dimension);
    long base = window.baseDilation().get(dimension);
    long period = period(window, dimension);
    long tapStride = base / LongMath.gcd(dilation, base);
    long begin = first * stride - window.paddingLow().get(dimension);
    long maxShift = (neighbours - 1) * stride;
    long end = size + maxShift;
    long tap =
        LongStream.range(0, Math.min(end, tapStride))
            .filter(k -> Math.floorMod(begin + k * dilation, base) == 0)
            .findFirst()
            .orElse(end);
    long tapCount = Math.ceilDiv(end - tap, tapStride);
    return new ConvolutionPhase(
        first,
        period,
        Math.ceilDiv(resultSize - first, period),
        tap,
        tapStride,
        tapCount,
        Math.floorDiv(begin + tap * dilation, base),
        period * stride / base,
        tapStride * dilation / base,
        neighbours,
        stride,
        Math.max(0, maxShift - tap),
        Math.max(0, tap + (tapCount - 1) * tapStride - (size - 1)));
  }

  boolean isEmpty() {
    return positionCount == 0 || tapCount == 0;
  }

  /** {@return the end, exclusive, of the elements that a phase meets, if it is not empty} */
  long end() {
    return start + (positionCount - 1) * stride + (tapCount - 1) * dilation + 1;
  }
}
