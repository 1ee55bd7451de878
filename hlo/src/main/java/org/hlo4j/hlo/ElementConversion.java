package org.hlo4j.hlo;

/**
 * The conversion of elements from one type to another by value, as HLO's {@code convert} defines
 * it. {@link Literal#convertElementType} and the reference evaluator share it.
 */
final class ElementConversion {
  private static final double TWO_TO_63 = 0x1p63;

  private ElementConversion() {}

  /** Sets an element to one of a literal, converted. */
  static void convert(LiteralBuilder result, int i, ElementType to, Literal from, int position) {
    ElementType type = from.elementType();
    switch (type.kind()) {
      case PRED, SIGNED -> fromLong(result, i, to, from.longAt(position), false);
      case UNSIGNED -> fromLong(result, i, to, from.longAt(position), true);
      case FLOAT -> fromDouble(result, i, to, from.doubleAt(position));
      case COMPLEX -> fromComplex(result, i, to, from.realAt(position), from.imaginaryAt(position));
    }
  }

  private static void fromLong(
      LiteralBuilder result, int i, ElementType to, long value, boolean unsigned) {
    switch (to.kind()) {
      case PRED, SIGNED, UNSIGNED -> result.setLong(i, value);
      case FLOAT -> result.setDouble(i, toDouble(value, unsigned, to));
      case COMPLEX -> result.setComplex(i, toDouble(value, unsigned, to.componentType()), 0);
    }
  }

  /**
   * Returns a double that rounds to the nearest value of the type: the integer itself if it is
   * exact, else the integer rounded to odd.
   */
  private static double toDouble(long value, boolean unsigned, ElementType to) {
    if (value < 0 && unsigned) {
      long half = (value >>> 1) | (value & 1);
      return 2 * toDouble(half, false, to);
    }
    boolean exact = value == Long.MIN_VALUE || Math.abs(value) <= 1L << 53;
    if (exact || to == ElementType.F64) {
      return (double) value;
    }
    long magnitude = Math.abs(value);
    long sticky = (magnitude & 0x7ff) == 0 ? 0 : 0x800;
    double odd = (double) ((magnitude & ~0x7ffL) | sticky);
    return value < 0 ? -odd : odd;
  }

  /** Sets an element to a number, converted from a float type. */
  static void fromDouble(LiteralBuilder result, int i, ElementType to, double value) {
    switch (to.kind()) {
      case PRED -> result.setBoolean(i, value != 0);
      case SIGNED -> result.setLong(i, Math.clamp((long) value, to.minLong(), to.maxLong()));
      case UNSIGNED -> result.setLong(i, saturateUnsigned(value, to));
      case FLOAT -> result.setDouble(i, value);
      case COMPLEX -> result.setComplex(i, value, 0);
    }
  }

  private static long saturateUnsigned(double value, ElementType to) {
    if (!(value >= 1)) {
      return 0;
    }
    if (to == ElementType.U64) {
      return value < TWO_TO_63
          ? (long) value
          : value < 2 * TWO_TO_63 ? (long) (value - TWO_TO_63) ^ Long.MIN_VALUE : -1;
    }
    return Math.min((long) value, to.maxLong());
  }

  private static void fromComplex(
      LiteralBuilder result, int i, ElementType to, double real, double imaginary) {
    switch (to.kind()) {
      case PRED -> result.setBoolean(i, real != 0 || imaginary != 0);
      case SIGNED, UNSIGNED, FLOAT -> fromDouble(result, i, to, real);
      case COMPLEX -> result.setComplex(i, real, imaginary);
    }
  }
}
