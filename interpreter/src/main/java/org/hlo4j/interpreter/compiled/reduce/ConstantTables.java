package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** Arrays that are read as operands are, though nobody gives them. */
final class ConstantTables {
  private ConstantTables() {}

  /** The numbers from 0, as the reference has them: wrapped or rounded to the type. */
  static Literal iota(Shape.Array shape) {
    LiteralBuilder numbers = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      if (shape.elementType().isFloating()) {
        numbers.setDouble(i, i);
      } else {
        numbers.setLong(i, i);
      }
    }
    return numbers.build();
  }
}
