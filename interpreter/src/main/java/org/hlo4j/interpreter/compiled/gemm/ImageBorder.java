package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;

/**
 * Which taps of a window lie in the image, at each row of a {@link GemmProblem}. The steps of the
 * product are the indices of all axes in row-major order; a step lies in the image if the tap of
 * each axis does.
 *
 * @param rowLength the number of rows of the product along the innermost dimension
 * @param axes the axes of the window; none if all taps lie in the image
 */
public record ImageBorder(int rowLength, ImmutableList<Axis> axes) {
  /** The border of a product all of whose steps lie in the image. */
  public static final ImageBorder NONE = new ImageBorder(1, ImmutableList.of());

  /**
   * An axis of the window. At position q, tap t meets element {@code start + q * stride + t *
   * dilation}. The position of a row of the product is {@code row / rowsApart % positions}.
   *
   * @param taps the number of taps
   * @param start the element that the first tap meets at the first position
   * @param stride the distance of elements at neighbouring positions
   * @param dilation the distance of elements of neighbouring taps
   * @param size the number of elements of the image
   * @param rowsApart the number of rows from a position to the next
   * @param positions the number of positions
   */
  public record Axis(
      int taps, int start, int stride, int dilation, int size, int rowsApart, int positions) {
    /** {@return the element that the first tap meets} */
    int element(int row) {
      return start + row / rowsApart % positions * stride;
    }

    int firstTap(int row) {
      return Math.clamp(Math.ceilDiv(-element(row), dilation), 0, taps);
    }

    /** {@return the end, exclusive, of the taps in the image} */
    int endTap(int row) {
      return Math.clamp(Math.ceilDiv(size - element(row), dilation), 0, taps);
    }

    boolean isInside(int row, int tap) {
      return tap >= firstTap(row) && tap < endTap(row);
    }

    boolean isAlwaysInside() {
      int last = (positions - 1) * rowsApart;
      return start >= 0 && element(last) + (taps - 1) * dilation < size;
    }
  }

  boolean isNone() {
    return axes.isEmpty();
  }

  /** {@return the index of the innermost axis with several taps} */
  int innermost() {
    int at = Math.max(0, axes.size() - 1);
    while (at > 0 && axes.get(at).taps() == 1) {
      at--;
    }
    return at;
  }

  /** {@return whether the tap of each axis but one lies in the image} */
  boolean isInside(int row, int step, int except) {
    for (int i = axes.size() - 1, rest = step; i >= 0; i--) {
      Axis axis = axes.get(i);
      if (i != except && !axis.isInside(row, rest % axis.taps())) {
        return false;
      }
      rest /= axis.taps();
    }
    return true;
  }

  /**
   * {@return the number of consecutive rows, a divisor of the row length, that differ in the taps
   * of one axis only}
   */
  int run(int except) {
    for (int i = 0; i < axes.size(); i++) {
      Axis axis = axes.get(i);
      if (i != except && axis.rowsApart() < rowLength && !axis.isAlwaysInside()) {
        return 1;
      }
    }
    return rowLength;
  }
}
