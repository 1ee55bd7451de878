package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.primitives.ImmutableIntArray;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;

/**
 * The border of an image, for a depthwise product whose offsets are those in the padded image. The
 * image itself is read, and products with padding are left out.
 *
 * @param shifts the distance from each row of the padded image to that row of the image, of which
 *     there is none for padding
 * @param rowLength the number of elements of a row of the padded image
 * @param before the number of elements of padding at the beginning of a row
 * @param size the number of elements of a row of the image
 * @param positions the number of window positions in a row
 * @param taps the number of taps of the window along a row; 0 without a border
 */
public record ImageBorder(
    ImmutableIntArray shifts, int rowLength, int before, int size, int positions, int taps) {
  /** The shift of a row that is padding. */
  private static final int MISSING = Integer.MIN_VALUE;

  /** The border of an image without padding. */
  public static final ImageBorder NONE =
      new ImageBorder(ImmutableIntArray.of(0), Integer.MAX_VALUE, 0, Integer.MAX_VALUE, 1, 0);

  /**
   * {@return the border of an image in row-major order, whose rows are along the last dimension but
   * one}
   *
   * @param sizes the sizes of the image
   * @param low the padding before each dimension
   * @param padded the sizes of the padded image
   */
  public static ImageBorder of(Dims sizes, Dims low, Dims padded, int positions, int taps) {
    int row = sizes.count() - 2;
    int features = (int) sizes.get(row + 1);
    IntStream shifts =
        IntStream.range(0, (int) padded.subList(0, row).product())
            .map(i -> shift(i, sizes, low, padded));
    return new ImageBorder(
        ImmutableIntArray.copyOf(shifts),
        (int) padded.get(row) * features,
        (int) low.get(row) * features,
        (int) sizes.get(row) * features,
        positions,
        taps);
  }

  private static int shift(int row, Dims sizes, Dims low, Dims padded) {
    Dims strides = sizes.rowMajorStrides();
    int along = sizes.count() - 2;
    long shift = -(row * padded.get(along) + low.get(along)) * strides.get(along);
    long outer = row;
    for (int d = along - 1; d >= 0; d--) {
      long index = outer % padded.get(d) - low.get(d);
      if (index < 0 || index >= sizes.get(d)) {
        return MISSING;
      }
      shift += index * strides.get(d);
      outer /= padded.get(d);
    }
    return (int) shift;
  }

  boolean isNone() {
    return taps == 0;
  }

  /**
   * Finds the rows of a filter that meet the image.
   *
   * @param steps the offsets of the rows of the filter in the padded image and in the filter by
   *     turns
   * @param start the position in the padded image
   * @param to where to store the offsets in the image itself and in the filter by turns
   * @return the number of rows
   */
  int findRows(int[] steps, int start, int[] to) {
    int count = 0;
    for (int i = 0; i < steps.length; i += 2) {
      int shift = shifts.get((start + steps[i]) / rowLength);
      if (shift != MISSING) {
        to[2 * count] = steps[i] + shift;
        to[2 * count + 1] = steps[i + 1];
        count++;
      }
    }
    return count;
  }
}
