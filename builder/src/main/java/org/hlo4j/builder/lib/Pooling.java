package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Window;

/**
 * Max-pooling and average-pooling, and the gradient of average-pooling.
 *
 * <p>Windows have all dimensions of the operand, of size 1 along batch and features: {@code
 * Pooling.maxPool(x, Window.of(1, 2, 2, 1).withStrides(1, 2, 2, 1))}. SAME padding, which XLA's
 * library computes by {@code MakeSpatialPadding}, is {@link Window#withSamePadding} here. The
 * gradient of max-pooling is {@link XlaOp#selectAndScatter}.
 */
public final class Pooling {
  private Pooling() {}

  /**
   * Returns the largest element under the window at each position.
   *
   * @param operand an array
   * @param window the window, of the operand's rank
   * @return the op, with one element for each window position
   * @throws HloException if window and operand are incompatible
   */
  public static XlaOp maxPool(XlaOp operand, Window window) {
    Shape.Array scalar = Shape.of(operand.arrayShape().elementType());
    XlaOp least = operand.builder().full(scalar, least(scalar.elementType()));
    return operand.reduceWindow(least, (a, b) -> a.max(b), window);
  }

  private static Object least(ElementType type) {
    return switch (type.kind()) {
      case PRED -> false;
      case SIGNED, UNSIGNED -> type.minLong();
      case FLOAT, COMPLEX ->
          type.hasInfinity() ? Double.NEGATIVE_INFINITY : -type.componentType().maxFinite();
    };
  }

  /**
   * Returns the mean of the elements under the window at each position.
   *
   * @param operand an array of numbers
   * @param window the window, of the operand's rank
   * @param countsIncludePadding whether padding counts as zeros; else only elements count
   * @return the op, with one element for each window position
   * @throws HloException if window and operand are incompatible
   */
  public static XlaOp avgPool(XlaOp operand, Window window, boolean countsIncludePadding) {
    XlaOp sums = sums(operand, window);
    return sums.div(counts(operand.arrayShape(), sums, window, countsIncludePadding));
  }

  private static XlaOp sums(XlaOp operand, Window window) {
    XlaOp zero = operand.builder().zeros(Shape.of(operand.arrayShape().elementType()));
    return operand.reduceWindow(zero, (a, b) -> a.add(b), window);
  }

  /** Returns the divisor of the sum at each window position. */
  private static XlaOp counts(
      Shape.Array operand, XlaOp places, Window window, boolean countsIncludePadding) {
    return countsIncludePadding
        ? places.fullLike(window.sizes().product())
        : sums(places.builder().full(operand, 1), window);
  }

  /**
   * Returns the gradient of {@link #avgPool}: distributes the gradient of each window position to
   * the elements under the window there.
   *
   * @param gradOutput the gradient of the result of avgPool, one element for each window position
   * @param sizes the sizes of the operand of avgPool
   * @param window the window, without base dilation
   * @param countsIncludePadding as for avgPool
   * @return the gradient of the operand, of those sizes
   * @throws HloException if the window on those sizes does not have the places of gradOutput
   */
  public static XlaOp avgPoolGrad(
      XlaOp gradOutput, Dims sizes, Window window, boolean countsIncludePadding) {
    Shape.Array places = gradOutput.arrayShape();
    requireWindow(places, sizes, window);
    Shape.Array operand = Shape.of(places.elementType(), sizes);
    XlaOp shares = gradOutput.div(counts(operand, gradOutput, window, countsIncludePadding));
    return sums(shares, transposed(window, places.sizes(), sizes));
  }

  private static void requireWindow(Shape.Array places, Dims sizes, Window window) {
    require(
        window.baseDilation().equals(Dims.filled(window.rank(), 1)),
        "",
        "avgPoolGrad: base dilation got %s, want none",
        window);
    require(
        window.rank() == sizes.count() && window.outputSizes(sizes).equals(places.sizes()),
        "",
        "avgPoolGrad: gradOutput got %s, want the places of window %s on %s",
        places,
        window,
        sizes);
  }

  /**
   * Returns the transposed window: for each element it covers the window positions that contain it,
   * which are a stride apart.
   */
  private static Window transposed(Window window, Dims places, Dims sizes) {
    Window onPlaces =
        Window.of(window.sizes())
            .withBaseDilation(window.strides().toArray())
            .withWindowDilation(window.windowDilation().toArray());
    Dims ones = Dims.filled(window.rank(), 1);
    Dims reach = window.sizes().minus(ones).times(window.windowDilation());
    Dims low = reach.minus(window.paddingLow());
    Dims spread =
        places.minus(ones).times(window.strides()).plus(ones).clamp(zeros(places), most(places));
    Dims high = sizes.plus(reach).minus(spread).minus(low);
    return onPlaces.withPadding(low, high);
  }

  private static Dims zeros(Dims places) {
    return Dims.filled(places.count(), 0);
  }

  private static Dims most(Dims places) {
    return Dims.filled(places.count(), Long.MAX_VALUE);
  }
}
