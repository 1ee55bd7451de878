package org.hlo4j.hlo;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The memory layout of a dense array, as HLO text writes it after a shape: {@code {1,0:T(2,128)}}.
 *
 * <p>A layout does not change what hlo4j computes; it is kept and printed again.
 *
 * @param minorToMajor the dimension numbers, the fastest-varying first
 * @param details the text after the colon, which gives tiles and memory space; empty if there is
 *     none
 */
public record Layout(Dims minorToMajor, String details) {
  /**
   * Returns the layout that XLA calls default: row-major, no details.
   *
   * @param rank the rank of the array
   * @return the layout
   */
  public static Layout rowMajor(int rank) {
    Dims ascending = Dims.range(0, rank);
    return new Layout(Dims.filled(rank, rank - 1L).minus(ascending), "");
  }

  /**
   * Returns whether the elements of an array have the same order in another layout. Dimensions of
   * size 1 may be anywhere; details do not count.
   *
   * @param other the other layout
   * @param shape the array
   * @return whether the order is the same
   */
  public boolean hasOrderOf(Layout other, Shape.Array shape) {
    requireNonNull(other, "other");
    requireNonNull(shape, "shape");
    return minorToMajor.equals(other.minorToMajor)
        || Arrays.equals(order(shape), other.order(shape));
  }

  /** Returns the dimensions that have more than one element, the fastest-varying first. */
  private long[] order(Shape.Array shape) {
    return minorToMajor.stream().filter(dimension -> shape.size((int) dimension) > 1).toArray();
  }

  /**
   * Copies the elements of an array from the order of this layout to row-major order.
   *
   * @param from the elements, each of as many bytes as there
   * @param into memory of the same size
   * @param shape the array
   * @throws HloException if the sizes are not those of elements of the array, or this is no
   *     permutation of its dimensions
   */
  public void toRowMajor(MemorySegment from, MemorySegment into, Shape.Array shape) {
    requireFitting(from, into, shape);
    if (hasOrderOf(rowMajor(shape.rank()), shape)) {
      into.copyFrom(from);
    } else {
      requirePermutation(shape);
      reorder(from, into, shape);
    }
  }

  private static void requireFitting(MemorySegment from, MemorySegment into, Shape.Array shape) {
    requireNonNull(from, "from");
    requireNonNull(into, "into");
    requireNonNull(shape, "shape");
    require(
        from.byteSize() == into.byteSize()
            && into.byteSize() % Math.max(1, shape.elementCount()) == 0,
        "",
        "layout: got %s and %s bytes for %s, want as many for each element",
        from.byteSize(),
        into.byteSize(),
        shape);
  }

  private void requirePermutation(Shape.Array shape) {
    require(
        minorToMajor.count() == shape.rank() && minorToMajor.isPermutation(),
        "",
        "layout: got %s, want a permutation of the dimensions of %s",
        this,
        shape);
  }

  /**
   * Copies the elements of an array from row-major order to the order of this layout. What is
   * written is, read row by row, an array of which the other one is in another order.
   *
   * @param from the elements, each of as many bytes as there
   * @param into memory of the same size
   * @param shape the array
   * @throws HloException if the sizes are not those of elements of the array, or this is no
   *     permutation of its dimensions
   */
  public void fromRowMajor(MemorySegment from, MemorySegment into, Shape.Array shape) {
    requireFitting(from, into, shape);
    requirePermutation(shape);
    Dims majorToMinor = reversed(minorToMajor);
    Shape.Array stored = Shape.of(shape.elementType(), shape.sizes().at(majorToMinor));
    new Layout(reversed(majorToMinor.inverse()), "").toRowMajor(from, into, stored);
  }

  private static Dims reversed(Dims dims) {
    return dims.at(rowMajor(dims.count()).minorToMajor);
  }

  /**
   * Walks through the result row by row. {@code index} counts all but the last dimension; each
   * element is read at the sum of index times stride.
   */
  private void reorder(MemorySegment from, MemorySegment into, Shape.Array shape) {
    int last = shape.rank() - 1;
    int width = (int) (into.byteSize() / Math.max(1, shape.elementCount()));
    long[] strides = new long[last + 1];
    long stride = width;
    for (int i = 0; i <= last; i++) {
      strides[minorToMajor.getInt(i)] = stride;
      stride *= shape.size(minorToMajor.getInt(i));
    }
    long row = shape.size(last);
    long[] index = new long[last];
    for (long to = 0; to < into.byteSize(); to += row * width) {
      long start = 0;
      for (int i = 0; i < last; i++) {
        start += index[i] * strides[i];
      }
      copyRow(from, start, strides[last], into, to, row, width);
      for (int i = last - 1; i >= 0 && ++index[i] == shape.size(i); i--) {
        index[i] = 0;
      }
    }
  }

  private static void copyRow(
      MemorySegment from, long start, long stride, MemorySegment into, long to, long n, int width) {
    switch (width) {
      case Integer.BYTES -> {
        for (long i = 0; i < n; i++) {
          int element = from.get(JAVA_INT_UNALIGNED, start + i * stride);
          into.set(JAVA_INT_UNALIGNED, to + i * width, element);
        }
      }
      case Long.BYTES -> {
        for (long i = 0; i < n; i++) {
          long element = from.get(JAVA_LONG_UNALIGNED, start + i * stride);
          into.set(JAVA_LONG_UNALIGNED, to + i * width, element);
        }
      }
      default -> {
        for (long i = 0; i < n; i++) {
          MemorySegment.copy(from, start + i * stride, into, to + i * width, width);
        }
      }
    }
  }

  /** Returns the layout in braces, as HLO text writes it. */
  @Override
  public String toString() {
    String order = minorToMajor.stream().mapToObj(Long::toString).collect(Collectors.joining(","));
    return "{" + order + (details.isEmpty() ? "" : ":" + details) + "}";
  }
}
