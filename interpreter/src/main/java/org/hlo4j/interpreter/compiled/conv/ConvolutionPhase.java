package org.hlo4j.interpreter.compiled.conv;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import java.util.stream.LongStream;
import org.hlo4j.hlo.op.Window;

/**
 * Places of a window along one dimension that meet the same taps of the kernel. If the image is
 * dilated, a tap meets an element in some places only, and zeros in the others: which places these
 * are, and which taps, repeats. Place q of a phase and tap t of it meet element {@code start + q *
 * stride + t * dilation} of the image as it is, if there is one.
 *
 * <p>Places of different phases may also lie {@link Beside} each other in one, at the cost of zeros
 * around the kernel.
 *
 * @param firstPlace the first place
 * @param placesApart how far apart places are
 * @param places how many
 * @param firstTap the first tap
 * @param tapsApart how far apart taps are
 * @param taps how many; none if the places meet zeros only
 * @param start the element in the first place at the first tap; may be negative
 * @param stride from one place to the next
 * @param dilation from one tap to the next
 * @param beside what is computed beside each place
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
    Beside beside) {
  /**
   * Places that are contiguous and meet the same elements, each with other taps.
   *
   * @param places how many
   * @param taps how many taps before those of a place those of the next one are
   * @param before zeros before the kernel
   * @param behind zeros behind it
   */
  record Beside(long places, long taps, long before, long behind) {
    /** One place. */
    static final Beside NONE = new Beside(1, 0, 0, 0);
  }

  /**
   * All phases along a dimension; one, without places, if the result is empty.
   *
   * @param window the window
   * @param dimension which one
   * @param base how far apart elements of the image are taken to be: 1 if it is dilated before
   * @param taps the size of the kernel
   * @param places the size of the result
   */
  static ImmutableList<ConvolutionPhase> along(
      Window window, int dimension, long base, long taps, long places) {
    return LongStream.range(0, count(window, dimension, base, places))
        .mapToObj(first -> of(window, dimension, base, taps, places, first))
        .collect(ImmutableList.toImmutableList());
  }

  /** How many there are. */
  static long count(Window window, int dimension, long base, long places) {
    return Math.clamp(places, 1, period(window, dimension, base));
  }

  /** After how many places the same taps meet elements again. */
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
        Beside.NONE);
  }

  /** Whether all phases along a dimension are one with contiguous places. */
  static boolean canBeBeside(Window window, int dimension, long base, long places) {
    long period = period(window, dimension, base);
    return period == 1
        || (window.windowDilation().get(dimension) == 1 && places % period == 0 && places > 0);
  }

  /**
   * That one. Place {@code q * period + r} meets its element t by tap {@code t * base + tap - r *
   * stride}.
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
        new Beside(period, stride, before, behind));
  }

  boolean isEmpty() {
    return places == 0 || taps == 0;
  }

  /** Behind the last element that is met, if it is not empty. */
  long end() {
    return start + (places - 1) * stride + (taps - 1) * dilation + 1;
  }
}
