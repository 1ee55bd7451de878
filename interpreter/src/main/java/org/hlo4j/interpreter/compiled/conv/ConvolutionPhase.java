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
 * <p>Positions of different phases may also be combined in one phase ({@link Beside}), at the cost
 * of zeros around the kernel.
 *
 * @param firstPlace the first window position
 * @param placesApart the distance of window positions
 * @param places the number of window positions
 * @param firstTap the first tap
 * @param tapsApart the distance of taps
 * @param taps the number of taps; none if the positions meet zeros only
 * @param start the element that the first tap meets at the first position; may be negative
 * @param stride the distance of the elements that a tap meets at consecutive positions
 * @param dilation the distance of the elements that consecutive taps meet
 * @param beside the positions that are combined with each position
 */
record ConvolutionPhase(
    long firstPlace,
    long placesApart,
    long places,
    long firstTap,
    long tapsApart,
    long taps,
    long start,
    long stride,
    long dilation,
    CombinedPositions beside) {
  /**
   * Consecutive window positions that meet the same elements, each with other taps.
   *
   * @param places the number of positions
   * @param taps the distance from the taps of a position back to those of the next one
   * @param before the number of zeros before the kernel
   * @param behind the number of zeros after the kernel
   */
  record CombinedPositions(long places, long taps, long before, long behind) {
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
   * @param taps the size of the kernel
   * @param places the size of the result
   */
  static ImmutableList<ConvolutionPhase> along(
      Window window, int dimension, long base, long taps, long places) {
    return LongStream.range(0, count(window, dimension, base, places))
        .mapToObj(first -> of(window, dimension, base, taps, places, first))
        .collect(ImmutableList.toImmutableList());
  }

  /** {@return the number of phases} */
  static long count(Window window, int dimension, long base, long places) {
    return Math.clamp(places, 1, period(window, dimension, base));
  }

  /** {@return the number of window positions after which the same taps meet elements again} */
  private static long period(Window window, int dimension, long base) {
    return base / LongMath.gcd(window.strides().get(dimension), base);
  }

  private static ConvolutionPhase of(
      Window window, int dimension, long base, long taps, long places, long first) {
    long stride = window.strides().get(dimension);
    long dilation = window.windowDilation().get(dimension);
    long apart = period(window, dimension, base);
    long tapsApart = base / LongMath.gcd(dilation, base);
    long left = Math.ceilDiv(places - first, apart);
    long begin = first * stride - window.paddingLow().get(dimension);
    long tap =
        LongStream.range(0, Math.min(taps, tapsApart))
            .filter(k -> Math.floorMod(begin + k * dilation, base) == 0)
            .findFirst()
            .orElse(taps);
    return new ConvolutionPhase(
        first,
        apart,
        left,
        tap,
        tapsApart,
        Math.ceilDiv(taps - tap, tapsApart),
        Math.floorDiv(begin + tap * dilation, base),
        apart * stride / base,
        tapsApart * dilation / base,
        CombinedPositions.NONE);
  }

  /**
   * {@return whether all phases along a dimension can be combined in one with contiguous positions}
   */
  static boolean canBeBeside(Window window, int dimension, long base, long places) {
    long period = period(window, dimension, base);
    return period == 1
        || (window.windowDilation().get(dimension) == 1 && places % period == 0 && places > 0);
  }

  /**
   * {@return the combination of all phases along a dimension} Position {@code q * period + r} meets
   * its element t by tap {@code t * base + tap - r * stride}.
   */
  static ConvolutionPhase beside(Window window, int dimension, long base, long taps, long places) {
    long period = period(window, dimension, base);
    if (period == 1) {
      return of(window, dimension, base, taps, places, 0);
    }
    long stride = window.strides().get(dimension);
    long low = window.paddingLow().get(dimension);
    long tap = Math.floorMod(low, base);
    long back = (period - 1) * stride;
    long met = Math.floorDiv(taps - 1 - tap + back, base) + 1;
    long before = Math.max(0, back - tap);
    long behind = Math.max(0, (met - 1) * base + tap - (taps - 1));
    return new ConvolutionPhase(
        0,
        period,
        places / period,
        before + tap,
        base,
        met,
        (tap - low) / base,
        period * stride / base,
        1,
        new CombinedPositions(period, stride, before, behind));
  }

  boolean isEmpty() {
    return places == 0 || taps == 0;
  }

  /** {@return the end, exclusive, of the elements that a phase meets, if it is not empty} */
  long end() {
    return start + (places - 1) * stride + (taps - 1) * dilation + 1;
  }
}
