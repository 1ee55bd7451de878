package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireFitting;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Booleans;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * A window that slides over an array, the base: its sizes, positions, padding and dilation in each
 * dimension. Convolution, reduce-window and select-and-scatter use it.
 *
 * <pre>
 *   size=3 stride=2 pad=1_0         lhs_dilate=2           rhs_dilate=2
 *
 *     p 0 1 2 3 4                     0 . 1 . 2              0 1 2 3 4
 *     ^ ^ ^                           ^ ^ ^                  ^   ^   ^
 *         ^ ^ ^                         ^ ^ ^
 * </pre>
 *
 * <p>Padding (p) and the holes of a dilated base (.) hold no elements. Negative padding removes
 * elements.
 *
 * <pre>{@code
 * Window.of(3, 3).withStrides(2, 2).withSamePadding(Dims.of(28, 28))
 * }</pre>
 *
 * @param sizes the number of elements that it covers in each dimension
 * @param strides the distance between its positions
 * @param paddingLow the number of positions added before the base; removed if negative
 * @param paddingHigh the number of positions added after the base; removed if negative
 * @param baseDilation the distance between neighbouring elements of the base, 1 if none is inserted
 * @param windowDilation the distance between neighbouring elements of the window, 1 if none is
 *     inserted
 * @param reversal whether the window is reversed; it matters only to convolution
 */
public record Window(
    Dims sizes,
    Dims strides,
    Dims paddingLow,
    Dims paddingHigh,
    Dims baseDilation,
    Dims windowDilation,
    ImmutableList<Boolean> reversal) {
  /**
   * Checks that all have as many values.
   *
   * @throws HloException if they do not
   */
  public Window {
    requireNonNull(reversal, "reversal");
    requireNonNull(baseDilation, "baseDilation");
    requireNonNull(paddingHigh, "paddingHigh");
    requireNonNull(paddingLow, "paddingLow");
    requireNonNull(sizes, "sizes");
    requireNonNull(strides, "strides");
    requireNonNull(windowDilation, "windowDilation");
    requireCount("strides", strides.count(), sizes);
    requireCount("paddingLow", paddingLow.count(), sizes);
    requireCount("paddingHigh", paddingHigh.count(), sizes);
    requireCount("baseDilation", baseDilation.count(), sizes);
    requireCount("windowDilation", windowDilation.count(), sizes);
    requireCount("reversal", reversal.size(), sizes);
  }

  private static void requireCount(String what, int count, Dims sizes) {
    require(
        count == sizes.count(),
        "",
        "window: %s got %s values, want %s, one for each of the sizes %s",
        what,
        count,
        sizes.count(),
        sizes);
  }

  /**
   * Returns a window of these sizes, stride 1, no padding, no dilation, not reversed.
   *
   * @param sizes the number of elements that it covers in each dimension
   * @return the window
   */
  public static Window of(long... sizes) {
    requireNonNull(sizes, "sizes");
    return of(Dims.of(sizes));
  }

  /**
   * Returns a window of these sizes, stride 1, no padding, no dilation, not reversed.
   *
   * @param sizes the number of elements that it covers in each dimension
   * @return the window
   */
  public static Window of(Dims sizes) {
    requireNonNull(sizes, "sizes");
    Dims ones = Dims.filled(sizes.count(), 1);
    Dims zeros = Dims.filled(sizes.count(), 0);
    List<Boolean> forwards = Collections.nCopies(sizes.count(), false);
    return new Window(sizes, ones, zeros, zeros, ones, ones, ImmutableList.copyOf(forwards));
  }

  /**
   * Reads what {@link #toString} writes, with or without the braces.
   *
   * @param text such as {@code size=3x3 pad=0_1x1_1}
   * @return the window
   * @throws HloException if it is not the text of a window
   */
  public static Window parse(String text) {
    requireNonNull(text, "text");
    return WindowText.parse(text);
  }

  /**
   * Returns the same window with other strides.
   *
   * @param newStrides the distance between its positions
   * @return the window
   */
  public Window withStrides(long... newStrides) {
    requireNonNull(newStrides, "newStrides");
    return new Window(
        sizes,
        Dims.of(newStrides),
        paddingLow,
        paddingHigh,
        baseDilation,
        windowDilation,
        reversal);
  }

  /**
   * Returns the same window over a base with other padding.
   *
   * @param low the number of positions before the base
   * @param high the number of positions after it
   * @return the window
   */
  public Window withPadding(Dims low, Dims high) {
    requireNonNull(high, "high");
    requireNonNull(low, "low");
    return new Window(sizes, strides, low, high, baseDilation, windowDilation, reversal);
  }

  /**
   * Returns the same window with VALID padding, which is none: it is only at positions where it
   * fits into the base.
   *
   * @return the window
   */
  public Window withValidPadding() {
    Dims zeros = Dims.filled(rank(), 0);
    return withPadding(zeros, zeros);
  }

  /**
   * Returns the same window with SAME padding: with stride 1 the result is as large as the base,
   * and with other strides it has size / stride, rounded up. If the total padding is odd, the
   * additional position is after the base.
   *
   * @param baseSizes the sizes of the base
   * @return the window
   * @throws HloException if there are not as many sizes as window dimensions, a stride is not
   *     positive, or the padding is beyond 2^63 - 1
   */
  public Window withSamePadding(Dims baseSizes) {
    requireNonNull(baseSizes, "baseSizes");
    requireCount("base", baseSizes.count(), sizes);
    long[] missing = new long[rank()];
    for (int i = 0; i < missing.length; i++) {
      require(strides.get(i) > 0, "", "window: stride got %s, want at least 1", strides.get(i));
      missing[i] = samePadding(i, baseSizes.get(i));
    }
    Dims low = Dims.of(LongStream.of(missing).map(count -> count / 2).toArray());
    return withPadding(low, Dims.of(missing).minus(low));
  }

  private long samePadding(int dimension, long baseSize) {
    try {
      long base = dilated(baseSize, baseDilation.get(dimension));
      long last = (Math.ceilDiv(base, strides.get(dimension)) - 1) * strides.get(dimension);
      long window = dilated(sizes.get(dimension), windowDilation.get(dimension));
      return Math.max(Math.subtractExact(Math.addExact(last, window), base), 0);
    } catch (ArithmeticException overflow) {
      throw beyondLong(dimension, baseSize);
    }
  }

  /**
   * Returns the same window over a dilated base, with holes between the elements.
   *
   * @param dilation the distance between neighbouring elements, 1 if none is inserted
   * @return the window
   */
  public Window withBaseDilation(long... dilation) {
    requireNonNull(dilation, "dilation");
    return new Window(
        sizes, strides, paddingLow, paddingHigh, Dims.of(dilation), windowDilation, reversal);
  }

  /**
   * Returns the same window, dilated.
   *
   * @param dilation the distance between neighbouring elements, 1 if none is inserted
   * @return the window
   */
  public Window withWindowDilation(long... dilation) {
    requireNonNull(dilation, "dilation");
    return new Window(
        sizes, strides, paddingLow, paddingHigh, baseDilation, Dims.of(dilation), reversal);
  }

  /**
   * Returns the same window reversed, as the kernel of a true convolution.
   *
   * @param reversed whether, for each dimension
   * @return the window
   */
  public Window withReversal(boolean... reversed) {
    requireNonNull(reversed, "reversed");
    return new Window(
        sizes,
        strides,
        paddingLow,
        paddingHigh,
        baseDilation,
        windowDilation,
        ImmutableList.copyOf(Booleans.asList(reversed)));
  }

  /**
   * Returns the number of dimensions.
   *
   * @return the rank
   */
  public int rank() {
    return sizes.count();
  }

  /**
   * Returns the number of window positions along a dimension.
   *
   * @param dimension the dimension number
   * @param baseSize the size of the base along it
   * @return the count, 0 if the window is wider than the padded base
   * @throws HloException if sizes go beyond 2^63 - 1
   */
  public long outputSize(int dimension, long baseSize) {
    try {
      long base = dilated(baseSize, baseDilation.get(dimension));
      long low = Math.addExact(base, paddingLow.get(dimension));
      long padded = Math.addExact(low, paddingHigh.get(dimension));
      long window = dilated(sizes.get(dimension), windowDilation.get(dimension));
      return padded < window ? 0 : (padded - window) / strides.get(dimension) + 1;
    } catch (ArithmeticException overflow) {
      throw beyondLong(dimension, baseSize);
    }
  }

  private HloException beyondLong(int dimension, long baseSize) {
    return new HloException(
        "",
        String.format(
            "window of dimension %s on a base of %s got beyond 2^63 - 1, want less: %s",
            dimension, baseSize, this));
  }

  /**
   * Returns the number of window positions along each dimension.
   *
   * @param baseSizes the sizes of the base, or {@link Shape#UNBOUNDED}
   * @return the sizes of the result
   * @throws HloException if sizes go beyond 2^63 - 1
   */
  public Dims outputSizes(Dims baseSizes) {
    requireNonNull(baseSizes, "baseSizes");
    long[] places = new long[rank()];
    for (int i = 0; i < places.length; i++) {
      long base = baseSizes.get(i);
      places[i] = base == Shape.UNBOUNDED ? base : outputSize(i, base);
    }
    return Dims.of(places);
  }

  private static long dilated(long size, long dilation) {
    return size == 0 ? 0 : Math.addExact(Math.multiplyExact(size - 1, dilation), 1);
  }

  /**
   * Describes the window in words and with a drawing of its first positions.
   *
   * @return several lines
   */
  public String explain() {
    return WindowText.explain(this);
  }

  /** Returns the HLO text: {@code {size=3x3 stride=2x2 pad=0_1x1_1}}, defaults left out. */
  @Override
  public String toString() {
    return WindowText.of(this);
  }

  /** The labels of an op's checks of its window. */
  record Rules(
      String rank, String sizes, String strides, String baseDilation, String windowDilation) {}

  /**
   * Returns the shape of the result over a base, dynamic where the base is; refuses an invalid
   * window.
   */
  Shape.Array slide(Shape.Array base, Rules rules) {
    requireRank(base, rules, () -> WindowText.ofRank(this, base.rank()));
    requirePositive("window size", sizes, rules.sizes());
    requirePositive("window stride", strides, rules.strides());
    requirePositive("window base dilation", baseDilation, rules.baseDilation());
    requirePositive("window dilation", windowDilation, rules.windowDilation());
    return new Shape.Array(
        base.elementType(), outputSizes(base.sizes()), base.dynamicDimensions(), base.layout());
  }

  /** Refuses a window of another rank than the base; the refusal offers a window that fits. */
  void requireRank(Shape.Array base, Rules rules, Supplier<String> fits) {
    requireFitting(
        rank() == base.rank(),
        fits,
        rules.rank(),
        "window got %s dimensions, want %s, as many as %s: %s",
        rank(),
        base.rank(),
        base,
        this);
  }

  private void requirePositive(String what, Dims values, String label) {
    for (int i = 0; i < values.count(); i++) {
      require(
          values.get(i) > 0,
          label,
          "%s of dimension %s got %s, want at least 1",
          what,
          i,
          values.get(i));
    }
  }
}
