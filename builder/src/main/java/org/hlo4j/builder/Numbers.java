package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * The conversion of Java numbers to the element type of an array, by the rule of {@link
 * XlaOp#scalarLike}.
 */
final class Numbers {
  private Numbers() {}

  /** Returns a number as a scalar of an array's element type. */
  static Literal scalar(XlaOp array, Number number) {
    ElementType type = array.requireArray().elementType();
    require(number != null, "", "number got null beside %s, want one", array.shape());
    boolean holds =
        switch (type.kind()) {
          case PRED -> false;
          case SIGNED, UNSIGNED -> isHeld(type, number);
          case FLOAT, COMPLEX -> isHeld(type.componentType(), number.doubleValue());
        };
    if (!holds) {
      throw refusal(array, type, number);
    }
    return Literal.full(Shape.of(type), number);
  }

  private static boolean isHeld(ElementType type, Number number) {
    double value = number.doubleValue();
    long whole = number.longValue();
    // 2^63 as a double would become 2^63 - 1, which as a double is 2^63.
    boolean exact = value == Math.rint(value) && (double) whole == value && value < 0x1p63;
    boolean isLong = number instanceof Long;
    return (exact || isLong) && (whole >= 0 || type.minLong() < 0) && type.wrap(whole) == whole;
  }

  /** Below the middle between the greatest finite value and the next, were there one. */
  private static boolean isHeld(ElementType type, double value) {
    if (Double.isNaN(value)) {
      return type.hasNaN();
    }
    if (Double.isInfinite(value)) {
      return type.hasInfinity();
    }
    double most = type.maxFinite();
    double halfStep = Math.scalb(1.0, Math.getExponent(most) - type.mantissaBits() - 1);
    return Math.abs(value) < most + halfStep && !Double.isNaN(type.round(value));
  }

  private static HloException refusal(XlaOp array, ElementType type, Number number) {
    String want =
        switch (type.kind()) {
          case PRED -> "an op: pred takes no numbers";
          case SIGNED, UNSIGNED ->
              "a whole number from "
                  + type.minLong()
                  + " to "
                  + Long.toUnsignedString(type.maxLong());
          case FLOAT, COMPLEX -> "one that " + type.componentType() + " can hold";
        };
    String summary = String.format("number got %s beside %s, want %s", number, array.shape(), want);
    HloException refusal = new HloException("", summary);
    return type.isIntegral() && number.doubleValue() != Math.rint(number.doubleValue())
        ? refusal.with("fits", "fits: " + array.name() + ".convertElementType(F32)")
        : refusal;
  }
}
