package org.hlo4j.tools.input;

import java.util.Random;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * A generator of random arguments: floats and complex numbers are normally distributed, integers
 * range from 0 to 9 as far as the type permits, and booleans are random. The same seed gives the
 * same arguments.
 */
public final class RandomLiterals {
  private final Random random;

  public RandomLiterals(long seed) {
    this.random = new Random(seed);
  }

  /** Returns the next argument. */
  public Literal next(Shape shape) {
    return switch (shape) {
      case Shape.Array array -> array(array);
      case Shape.Tuple tuple -> Literal.tuple(tuple.elements().stream().map(this::next).toList());
      case Shape.Buffer buffer ->
          throw new HloException("", "--random got " + buffer + ", want a shape that has a value");
      case Shape.Token token -> Literal.token();
      case Shape.Opaque opaque ->
          throw new HloException("", "--random got opaque[], want a shape that has a value");
    };
  }

  private Literal array(Shape.Array shape) {
    ElementType type = shape.elementType();
    LiteralBuilder literal = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      switch (type.kind()) {
        case PRED -> literal.setBoolean(i, random.nextBoolean());
        case SIGNED, UNSIGNED -> literal.setLong(i, random.nextInt(integerBound(type)));
        case FLOAT -> literal.setDouble(i, random.nextGaussian());
        case COMPLEX -> literal.setComplex(i, random.nextGaussian(), random.nextGaussian());
      }
    }
    return literal.build();
  }

  private static int integerBound(ElementType type) {
    int bits = type.kind() == ElementType.Kind.SIGNED ? type.bits() - 1 : type.bits();
    return bits >= 4 ? 10 : 1 << bits;
  }
}
