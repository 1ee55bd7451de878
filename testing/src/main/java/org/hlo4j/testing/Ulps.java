package org.hlo4j.testing;

import org.hlo4j.hlo.ElementType;

/** Distances between values of an element type: the number of representable values between them. */
public final class Ulps {
  private Ulps() {}

  /**
   * Returns the distance of two values: 0 if they are equal or both NaN, the greatest long if only
   * one is NaN, or if they are integers and differ.
   *
   * @param type a float, integer or pred type
   * @param left the bits of one value
   * @param right the bits of the other
   * @return the distance
   */
  public static long between(ElementType type, long left, long right) {
    if (left == right) {
      return 0;
    }
    if (!type.isFloating()) {
      return Long.MAX_VALUE;
    }
    double l = type.decode(left);
    double r = type.decode(right);
    if (Double.isNaN(l) || Double.isNaN(r)) {
      return Double.isNaN(l) && Double.isNaN(r) ? 0 : Long.MAX_VALUE;
    }
    long distance = ordinal(type, left) - ordinal(type, right);
    return distance == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(distance);
  }

  /** Returns the index of a value among all values of its type, 0 for both zeros. */
  private static long ordinal(ElementType type, long bits) {
    long sign = 1L << (type.bits() - 1);
    return (bits & sign) == 0 ? bits : -(bits & ~sign);
  }
}
