package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;

/**
 * Arrays as PJRT has them in the memory of the host: an element of fewer than 8 bits is a byte,
 * whose upper bits plugins neither clear nor extend.
 */
public final class HostArrays {
  private HostArrays() {}

  /** {@return how many bytes an array has on the host} */
  public static long bytes(Shape.Array shape) {
    return shape.elementCount() * bytes(shape.elementType());
  }

  private static long bytes(ElementType type) {
    return Math.max(Byte.SIZE, type.bits()) / Byte.SIZE;
  }

  /** {@return how many bytes an array has on a device, where narrow elements are packed} */
  public static long deviceBytes(Shape.Array shape) {
    long bits = shape.elementType() == ElementType.PRED ? Byte.SIZE : shape.elementType().bits();
    return (shape.elementCount() * bits + Byte.SIZE - 1) / Byte.SIZE;
  }

  /**
   * Copies an array, its elements brought into their type: signed ones are extended, the upper bits
   * of others cleared, pred becomes 0 or 1.
   *
   * @param from the elements, in the order of the layout
   * @param into gets them row-major
   */
  public static void copy(
      MemorySegment from, MemorySegment into, Shape.Array shape, Layout layout) {
    if (isRowMajor(layout, shape)) {
      into.copyFrom(from);
    } else {
      reorder(from, into, shape, layout.minorToMajor());
    }
    if (shape.elementType().bits() < Byte.SIZE) {
      normalize(into, shape.elementType());
    }
  }

  /**
   * {@return whether a layout has the elements of a shape in row-major order} Dimensions of size 1
   * may be anywhere; tiles do not count.
   */
  public static boolean isRowMajor(Layout layout, Shape.Array shape) {
    Dims rows = Layout.rowMajor(shape.rank()).minorToMajor();
    return layout.minorToMajor().equals(rows)
        || Arrays.equals(order(layout.minorToMajor(), shape), order(rows, shape));
  }

  /** {@return whether two layouts have the elements of a shape in the same order} */
  public static boolean sameOrder(Layout left, Layout right, Shape.Array shape) {
    return shape.elementCount() <= 1
        || left.equals(right)
        || (tiles(left).equals(tiles(right))
            && Arrays.equals(
                order(left.minorToMajor(), shape), order(right.minorToMajor(), shape)));
  }

  /** Returns the tiles of a layout, which are before its other details. */
  private static String tiles(Layout layout) {
    String details = layout.details();
    return details.isEmpty() ? "" : details.replaceAll("^(T(?:\\([^)]*\\))+)?.*", "$1");
  }

  /** Returns the dimensions that have more than one element, the fastest-varying first. */
  private static long[] order(Dims minorToMajor, Shape.Array shape) {
    return minorToMajor.stream().filter(dimension -> shape.size((int) dimension) > 1).toArray();
  }

  /**
   * Walks through the result row by row. {@code index} counts all but the last dimension; each
   * element is read at the sum of index times stride.
   */
  private static void reorder(
      MemorySegment from, MemorySegment into, Shape.Array shape, Dims minorToMajor) {
    int rank = shape.rank();
    long width = bytes(shape.elementType());
    long[] strides = new long[rank];
    long stride = width;
    for (int i = 0; i < rank; i++) {
      strides[minorToMajor.getInt(i)] = stride;
      stride *= shape.size(minorToMajor.getInt(i));
    }
    long row = shape.size(rank - 1);
    long[] index = new long[rank];
    for (long to = 0; to < into.byteSize(); to += row * width) {
      long start = 0;
      for (int i = 0; i < rank - 1; i++) {
        start += index[i] * strides[i];
      }
      copyRow(from, start, strides[rank - 1], into, to, row, (int) width);
      for (int i = rank - 2; i >= 0 && ++index[i] == shape.size(i); i--) {
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

  private static void normalize(MemorySegment bytes, ElementType type) {
    long mask = (1L << type.bits()) - 1;
    for (long i = 0; i < bytes.byteSize(); i++) {
      byte bits = bytes.get(JAVA_BYTE, i);
      bytes.set(JAVA_BYTE, i, (byte) (type.isFloating() ? bits & mask : type.wrap(bits)));
    }
  }
}
