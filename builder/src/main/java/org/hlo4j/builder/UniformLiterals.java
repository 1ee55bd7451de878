package org.hlo4j.builder;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** A test for literals that are better represented as a scalar and a broadcast. */
final class UniformLiterals {
  private UniformLiterals() {}

  /**
   * Returns whether a literal is an array, not a scalar, of more than one element, and all elements
   * are equal.
   */
  static boolean isUniform(Literal literal) {
    if (!(literal.shape() instanceof Shape.Array array)
        || array.isScalar()
        || array.elementCount() < 2) {
      return false;
    }
    int step = array.elementType().componentCount();
    for (int i = step; i < step * literal.elementCount(); i++) {
      if (literal.bitsAt(i) != literal.bitsAt(i % step)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the first element as a scalar. */
  static Literal first(Literal literal) {
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(literal.elementType()));
    scalar.copy(0, literal, 0);
    return scalar.build();
  }
}
