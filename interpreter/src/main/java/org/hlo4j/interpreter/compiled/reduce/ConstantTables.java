package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** Constant arrays that a kernel reads like operands. */
final class ConstantTables {
  private ConstantTables() {}

  /** {@return the numbers from 0, wrapped or rounded to the type as in the reference} */
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
