package org.hlo4j.tools;

import org.hlo4j.hlo.ElementType;

/** The distance of two floats: the number of representable values between them. */
final class Ulps {
  /** The distance of NaN from any value. */
  static final long NONE = -1;

  private Ulps() {}

  /**
   * Returns the distance of two floats, given by their bits, as an unsigned number; 0 and -0 are
   * equal.
   */
  static long between(ElementType type, long left, long right) {
    if (Double.isNaN(type.decode(left)) || Double.isNaN(type.decode(right))) {
      return NONE;
    }
    long from = ordered(type, left);
    long to = ordered(type, right);
    return from < to ? to - from : from - to;
  }

  /** Describes a distance. */
  static String describe(long distance) {
    return distance == NONE
        ? "no number"
        : Long.toUnsignedString(distance) + (distance == 1 ? " ulp" : " ulps");
  }

  /** Maps the bits to a number that increases with the value. */
  private static long ordered(ElementType type, long bits) {
    if (type == ElementType.F8E8M0FNU) {
      return bits;
    }
    long magnitude = bits & ((1L << (type.bits() - 1)) - 1);
    return magnitude == bits ? magnitude : -magnitude;
  }
}
