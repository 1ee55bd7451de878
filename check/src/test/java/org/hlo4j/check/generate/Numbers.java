package org.hlo4j.check.generate;

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
}
