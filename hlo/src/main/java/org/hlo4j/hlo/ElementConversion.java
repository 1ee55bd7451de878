package org.hlo4j.hlo;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;

/**
 * The conversion of elements from one type to another by value, as HLO's {@code convert} defines
 * it, and that of Java's numbers. {@link Literal#convertElementType} and the reference evaluator
 * share it. However many digits a number has, it is rounded once.
 */
final class ElementConversion {
  private static final double TWO_TO_63 = 0x1p63;

  /** No integer of an element type has more digits. */
  private static final int MAX_DIGITS = 20;

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

  /** Returns a double that rounds to the nearest value of the type. */
  static double toDouble(Number value, ElementType to) {
    if (isFloat(value)) {
      return value.doubleValue();
    } else if (isLong(value)) {
      return toDouble(value.longValue(), false, to);
    }
    return decimal(value).map(exact -> toDouble(exact, to)).orElseGet(value::doubleValue);
  }

  /**
   * Returns the nearest double, or for a narrower type the number rounded to odd: of the two
   * doubles next to it, the one whose last bit is set. Its 53 bits are at least two more than those
   * of the type, so that rounding it is rounding the number.
   */
  private static double toDouble(BigDecimal value, ElementType to) {
    double nearest = value.doubleValue();
    int side = Double.isInfinite(nearest) ? 0 : value.compareTo(new BigDecimal(nearest));
    boolean isOdd = (Double.doubleToRawLongBits(nearest) & 1) != 0;
    if (to == ElementType.F64 || side == 0 || isOdd) {
      return nearest;
    }
    return side > 0 ? Math.nextUp(nearest) : Math.nextDown(nearest);
  }

  /**
   * Returns a number as an integer, if it is one. One that is beyond all element types, such as
   * infinity, is another that is so too.
   */
  static Optional<BigInteger> toInteger(Number value) {
    Optional<BigDecimal> decimal = decimal(value).map(BigDecimal::stripTrailingZeros);
    boolean isBeyond =
        decimal
            .map(digits -> digits.precision() - digits.scale() > MAX_DIGITS)
            .orElse(Double.isInfinite(value.doubleValue()));
    if (isBeyond) {
      return Optional.of(BigInteger.TEN.pow(MAX_DIGITS));
    }
    return decimal.filter(digits -> digits.scale() <= 0).map(BigDecimal::toBigInteger);
  }

  /**
   * Returns the exact value of a number, none if it is not finite. A number of a class of others is
   * what its text says if that is a decimal, as of Guava's UnsignedLong, else what it gives as a
   * double.
   */
  private static Optional<BigDecimal> decimal(Number value) {
    if (value instanceof BigDecimal decimal) {
      return Optional.of(decimal);
    } else if (value instanceof BigInteger integer) {
      return Optional.of(new BigDecimal(integer));
    } else if (!isFloat(value)) {
      try {
        return Optional.of(new BigDecimal(value.toString()));
      } catch (NumberFormatException noDecimal) {
        // by its double
      }
    }
    double number = value.doubleValue();
    return Double.isFinite(number) ? Optional.of(new BigDecimal(number)) : Optional.empty();
  }

  private static boolean isFloat(Number value) {
    return value instanceof Double || value instanceof Float;
  }

  private static boolean isLong(Number value) {
    return value instanceof Integer
        || value instanceof Long
        || value instanceof Short
        || value instanceof Byte;
  }

  /** Whether a number is just what it gives as a {@code long}; some are without being told so. */
  static boolean isExactLong(Number value) {
    double number = value.doubleValue();
    return isLong(value)
        || (isFloat(value) && number == (double) value.longValue() && number < TWO_TO_63);
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
