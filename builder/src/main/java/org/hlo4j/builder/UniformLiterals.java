package org.hlo4j.builder;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** Tells the literals that are better written as a scalar and a broadcast. */
final class UniformLiterals {
  private UniformLiterals() {}

  /** Whether a literal is an array, no scalar, of more than one element, all the same. */
  static boolean isUniform(Literal literal) {
    if (!(literal.shape() instanceof Shape.Array array)
        || array.isScalar()
        || array.elementCount() < 2) {
      return false;
    }
    int step = array.elementType().isComplex() ? 2 : 1;
    for (int i = step; i < step * literal.elementCount(); i++) {
      if (literal.bitsAt(i) != literal.bitsAt(i % step)) {
        return false;
      }
    }
    return true;
  }

  /** The first element as a scalar. */
  static Literal first(Literal literal) {
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(literal.elementType()));
    scalar.copy(0, literal, 0);
    return scalar.build();
  }
}
