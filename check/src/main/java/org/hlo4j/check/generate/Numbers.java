package org.hlo4j.check.generate;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** Literals of single numbers. */
final class Numbers {
  private Numbers() {}

  /** Returns a small whole number as a scalar of any type that is not complex. */
  static Literal scalar(ElementType type, int value) {
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(type));
    scalar.setBits(
        0,
        type.isFloating()
            ? type.encode(value)
            : type.bits() == 64 ? value : Math.min(value, type.maxLong()));
    return scalar.build();
  }

  /** Returns a scalar that simplifications look for. */
  static Literal neutral(Choices choices, ElementType type) {
    if (type.isComplex()) {
      return Literal.complex(type, choices.below(3) - 1, choices.chance(3) ? 0 : -0.0);
    }
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(type));
    double value = choices.oneOf(List.of(0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, 1.0, 0.0));
    long any = type.isFloating() ? type.encode(value) : Math.clamp((long) value, type.minLong(), 1);
    scalar.setBits(0, type.bits() == 64 ? any : any & ((1L << type.bits()) - 1));
    return scalar.build();
  }
}
