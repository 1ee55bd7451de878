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
    require(number != null, "", "number is null beside %s", array.shape());
    try {
      Literal scalar = Literal.full(Shape.of(type), number);
      if (isRepresentable(type, scalar, number)) {
        return scalar;
      }
    } catch (HloException notRepresentable) {
      // The refusal below says more.
    }
    throw refusal(array, type, number);
  }

  /** Unsigned types hold no negative {@code long}, though a literal of u64 takes its bits. */
  private static boolean isRepresentable(ElementType type, Literal scalar, Number number) {
    return switch (type.kind()) {
      case PRED -> false;
      case SIGNED -> true;
      case UNSIGNED -> number.doubleValue() >= 0;
      case FLOAT, COMPLEX -> {
        ElementType part = type.componentType();
        yield isRepresentable(part, part.decode(scalar.bitsAt(0)), number);
      }
    };
  }

  /**
   * NaN and infinity, if the type has them, and what is below the middle between the greatest
   * finite value and the next, were there one.
   */
  private static boolean isRepresentable(ElementType type, double rounded, Number number) {
    double value = number.doubleValue();
    boolean isFloat = number instanceof Double || number instanceof Float;
    if (isFloat && !Double.isFinite(value)) {
      return Double.compare(rounded, value) == 0;
    }
    double most = type.maxFinite();
    double halfStep = Math.scalb(1.0, Math.getExponent(most) - type.mantissaBits() - 1);
    return Math.abs(value) < most + halfStep && Double.isFinite(rounded);
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
