package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
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
    return shape.elementCount() * Math.max(Byte.SIZE, shape.elementType().bits()) / Byte.SIZE;
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
    layout.toRowMajor(from, into, shape);
    if (shape.elementType().bits() < Byte.SIZE) {
      normalize(into, shape.elementType());
    }
  }

  /** {@return whether two layouts have the elements of a shape in the same order and tiles} */
  public static boolean sameOrder(Layout left, Layout right, Shape.Array shape) {
    return shape.elementCount() <= 1
        || left.equals(right)
        || (tiles(left).equals(tiles(right)) && left.hasOrderOf(right, shape));
  }

  /** Returns the tiles of a layout, which are before its other details. */
  private static String tiles(Layout layout) {
    String details = layout.details();
    return details.isEmpty() ? "" : details.replaceAll("^(T(?:\\([^)]*\\))+)?.*", "$1");
  }

  private static void normalize(MemorySegment bytes, ElementType type) {
    long mask = (1L << type.bits()) - 1;
    for (long i = 0; i < bytes.byteSize(); i++) {
      byte bits = bytes.get(JAVA_BYTE, i);
      bytes.set(JAVA_BYTE, i, (byte) (type.isFloating() ? bits & mask : type.wrap(bits)));
    }
  }
}
