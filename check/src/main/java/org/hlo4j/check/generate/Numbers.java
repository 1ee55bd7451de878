package org.hlo4j.check.generate;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/** Literals of single numbers. */
final class Numbers {
  private Numbers() {}

  /** Returns a small whole number as a scalar of any type that is not complex. */
  static Literal scalar(ElementType type, int value) {
    return Literal.ofBits(
        Shape.of(type),
        i ->
            type.isFloating()
                ? type.encode(value)
                : type.bits() == 64 ? value : Math.min(value, type.maxLong()));
  }

  /** Returns a scalar that simplifications look for. */
  static Literal neutral(Choices choices, ElementType type) {
    if (type.isComplex()) {
      return Literal.complex(type, choices.below(3) - 1, choices.chance(3) ? 0 : -0.0);
    }
    double value = choices.oneOf(List.of(0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, 1.0, 0.0));
    return Literal.ofBits(
        Shape.of(type),
        i -> type.isFloating() ? type.encode(value) : Math.clamp((long) value, type.minLong(), 1));
  }
}
