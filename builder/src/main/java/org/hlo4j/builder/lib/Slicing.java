package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/** Slices in NumPy's notation, of the last dimensions, with strides, and slice updates. */
public final class Slicing {
  private Slicing() {}

  /**
   * Returns the part that ranges give in NumPy's notation: {@code x[1:3, :, -1]} is {@code slice(x,
   * "1:3, :, -1")}.
   *
   * <pre>
   *   1:3      from 1 to below 3; either may be left out, and counts from the end if negative
   *   ::2      every second element; ::-1 is backwards
   *   -1       the last element; the result does not have the dimension
   *   ...      all of the dimensions between
   *   None     a new dimension of size 1
   * </pre>
   *
   * <p>A range that goes beyond the array ends where that ends, as in NumPy.
   *
   * @param x an array of static sizes
   * @param ranges one for each dimension from the first on, separated by commas
   * @return the op
   * @throws HloException if they are no ranges of x
   */
  public static XlaOp slice(XlaOp x, String ranges) {
    return SliceText.parse(Checks.array("slice", "x", x), ranges).of(x);
  }

  /**
   * Returns a strided slice with dynamic start indices.
   *
   * @param input an array
   * @param baseIndices for each dimension an integer scalar, all of one type; clamped so that the
   *     box fits
   * @param windowSizes the size of the box in each dimension
   * @param strides the distance of the elements taken in each dimension
   * @return the op, of sizes ceil(windowSizes / strides)
   * @throws HloException if counts, types or sizes are incompatible
   */
  public static XlaOp dynamicStridedSlice(
      XlaOp input, List<XlaOp> baseIndices, Dims windowSizes, Dims strides) {
    Checks.array("dynamicStridedSlice", "input", input);
    XlaOp box = input.dynamicSlice(baseIndices, windowSizes.toArray());
    return strides.stream().allMatch(stride -> stride == 1)
            && strides.count() == windowSizes.count()
        ? box
        : box.slice(Dims.filled(windowSizes.count(), 0), windowSizes, strides);
  }

  /**
   * Returns an array with a box replaced: {@code result[start + i] = update[i]}.
   *
   * @param x an array
   * @param update the new elements, of the same rank and type
   * @param start the start of the box
   * @return the op, of the shape of x
   * @throws HloException if the box is not within x, or counts or types are incompatible
   */
  public static XlaOp updateSlice(XlaOp x, XlaOp update, Dims start) {
    requireWithin("updateSlice", x, update, start);
    XlaOp[] starts =
        start.stream()
            .mapToObj(value -> x.builder().constant(ElementType.S32, value))
            .toArray(XlaOp[]::new);
    return x.dynamicUpdateSlice(update, starts);
  }

  /** Refuses a start for which the box does not fit, because the op would clamp it. */
  private static void requireWithin(String function, XlaOp x, XlaOp update, Dims start) {
    Shape.Array shape = Checks.array(function, "x", x);
    Shape.Array part = Checks.array(function, "update", update);
    boolean within = start.count() == shape.rank() && part.rank() == shape.rank();
    for (int i = 0; within && i < shape.rank(); i++) {
      within = start.get(i) >= 0 && start.get(i) <= shape.size(i) - part.size(i);
    }
    require(within, "", "%s: update got %s at %s, want it within %s", function, part, start, shape);
  }

  /**
   * Returns a slice of the last dimensions, with the others unchanged.
   *
   * @param x an array
   * @param start the first index of each of the last dimensions
   * @param end the exclusive upper bound of each
   * @return the op
   * @throws HloException if there are more indices than dimensions, or one is out of bounds
   */
  public static XlaOp sliceInMinorDims(XlaOp x, Dims start, Dims end) {
    Shape.Array shape = Checks.array("sliceInMinorDims", "x", x);
    requireMinor("sliceInMinorDims", shape, start.count());
    requireMinor("sliceInMinorDims", shape, end.count());
    return x.slice(
        Dims.filled(shape.rank() - start.count(), 0).concat(start),
        Checks.batch(shape, end.count()).concat(end));
  }

  private static void requireMinor(String function, Shape.Array shape, int count) {
    require(
        count <= shape.rank(),
        "",
        "%s: got %s indices for %s, want at most its rank",
        function,
        count,
        shape);
  }

  /**
   * Returns an array with a box replaced that begins at 0 in all but the last dimensions.
   *
   * @param x an array
   * @param update the new elements, of the same rank and type
   * @param start the start of the box in the last dimensions
   * @return the op, of the shape of x
   * @throws HloException if the box is not within x, or counts or types are incompatible
   */
  public static XlaOp updateSliceInMinorDims(XlaOp x, XlaOp update, Dims start) {
    Shape.Array shape = Checks.array("updateSliceInMinorDims", "x", x);
    requireMinor("updateSliceInMinorDims", shape, start.count());
    return updateSlice(x, update, Dims.filled(shape.rank() - start.count(), 0).concat(start));
  }

  /**
   * Returns a slice of the last dimensions with dynamic start indices, with the others unchanged.
   *
   * @param x an array
   * @param starts an integer scalar for each of the last dimensions, all of one type
   * @param sizes the size of the box in each of them
   * @return the op
   * @throws HloException if counts, types or sizes are incompatible
   */
  public static XlaOp dynamicSliceInMinorDims(XlaOp x, List<XlaOp> starts, Dims sizes) {
    Shape.Array shape = Checks.array("dynamicSliceInMinorDims", "x", x);
    requireMinor("dynamicSliceInMinorDims", shape, starts.size());
    requireMinor("dynamicSliceInMinorDims", shape, sizes.count());
    return x.dynamicSlice(
        withMajorZeros(x, starts), Checks.batch(shape, sizes.count()).concat(sizes).toArray());
  }

  private static List<XlaOp> withMajorZeros(XlaOp x, List<XlaOp> starts) {
    XlaOp zero = starts.isEmpty() ? x.builder().constant(0) : starts.get(0).zerosLike();
    XlaOp[] zeros = new XlaOp[x.arrayShape().rank() - starts.size()];
    Arrays.fill(zeros, zero);
    return ImmutableList.<XlaOp>builder().add(zeros).addAll(starts).build();
  }

  /**
   * Returns an array with a box replaced that begins at dynamic start indices in the last
   * dimensions, and at 0 in the others.
   *
   * @param x an array
   * @param update the new elements, of the same rank and type
   * @param starts an integer scalar for each of the last dimensions, all of one type; clamped so
   *     that the box fits
   * @return the op, of the shape of x
   * @throws HloException if counts, types or sizes are incompatible
   */
  public static XlaOp dynamicUpdateSliceInMinorDims(XlaOp x, XlaOp update, List<XlaOp> starts) {
    Shape.Array shape = Checks.array("dynamicUpdateSliceInMinorDims", "x", x);
    requireMinor("dynamicUpdateSliceInMinorDims", shape, starts.size());
    return x.dynamicUpdateSlice(update, withMajorZeros(x, starts).toArray(new XlaOp[0]));
  }
}
